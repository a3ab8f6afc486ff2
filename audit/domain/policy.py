"""The policies of a campaign: what is done where its files leave something open, as one registry.

Settings, docs, report, store and flags read the same entries. The first value of each policy is the default, and every
difference from it is a flag.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class PolicyKind:
    """One entry of the registry."""

    slug: str
    """The setting's name in the table ``[policies]`` of task.toml."""
    title: str
    """The choice that the policy makes, in a few words."""
    values: Mapping[str, str]
    """Each value with what is then done; the first is the default."""

    @property
    def default(self) -> str:
        """The value where nothing is said."""
        return next(iter(self.values))


_KINDS = (
    PolicyKind(
        "missing",
        "Missing items",
        {
            "wrong": "count as unanswered: wrong for every metric, and in no class’s bias",
            "drop": "left out of that submission’s scores, which are then of fewer items: marked, and not compared",
            "reject": "reject the submission",
        },
    ),
    PolicyKind(
        "unusable",
        "Labels outside the label set",
        {
            "wrong": "count as unanswered: wrong for every metric, and in no class’s bias",
            "reject": "reject the submission",
        },
    ),
    PolicyKind(
        "extra",
        "Items that gold lacks",
        {
            "reject": "reject the submission",
            "ignore": "are left out, and counted; without ids, those behind the last item",
        },
    ),
    PolicyKind(
        "duplicates",
        "Items answered twice",
        {
            "reject": "reject the submission",
            "first": "the first answer counts",
            "last": "the last answer counts",
        },
    ),
    PolicyKind(
        "runs",
        "Several runs of a team",
        {
            "all": "every run is a row, and a team’s runs with the same answers are one; beside a team’s primary run, "
            "contrastive ones take no rank",
            "primary": "the primary run counts, or the last by name of several, and the others are kept in the store",
            "last": "the run that is last by name counts",
            "best": "the best run by the official metric counts, which favours teams with many runs",
        },
    ),
    PolicyKind(
        "baselines",
        "Baselines",
        {
            "beside": "stand beside the teams and take no rank from them",
            "ranked": "are ranked like teams: the first place is still among the teams",
        },
    ),
    PolicyKind(
        "skipped",
        "A test set that a team skipped",
        {
            "left-out": "the team has no overall rank, and its means are over the test sets it took part in",
            "last": "the team shares the last rank there; it has no mean score",
        },
    ),
    PolicyKind(
        "gold_copy",
        "A submission that equals gold",
        {
            "refuse": "is refused where it is the gold file, byte for byte; where only its labels are gold’s, the "
            "verdict asks whether it is a copy",
            "accept": "is a submission like any other",
        },
    ),
)

POLICY_KINDS: Mapping[str, PolicyKind] = MappingProxyType({kind.slug: kind for kind in _KINDS})
"""The registry: every policy, by slug."""


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The run that counts for one team, whatever the run policy says.

    Parameters
    ----------
    team, run : str
        Their names.
    reason : str
        Why, in the organiser's words.
    """

    team: str
    run: str
    reason: str


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies in force: for each entry of the registry, one of its values.

    Parameters
    ----------
    missing, unusable, extra, duplicates, runs, baselines, skipped, gold_copy : str
        The value of each policy, one of those in `POLICY_KINDS`.
    chosen : tuple of ChosenRun
        Teams whose run is named one by one.

    Examples
    --------
    >>> Policies(missing="drop").differences
    ('missing',)
    """

    missing: str = "wrong"
    unusable: str = "wrong"
    extra: str = "reject"
    duplicates: str = "reject"
    runs: str = "all"
    baselines: str = "beside"
    skipped: str = "left-out"
    gold_copy: str = "refuse"
    chosen: tuple[ChosenRun, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """The slugs of the policies that are not the default."""
        return tuple(slug for slug, kind in POLICY_KINDS.items() if getattr(self, slug) != kind.default)


DEFAULT_POLICIES = Policies()
STRICT_POLICIES = Policies(missing="reject", unusable="reject")
