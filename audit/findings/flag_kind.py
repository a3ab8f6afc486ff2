"""What a finding is: the rule that looks for it, when it fires, and where its evidence stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.domain import NO_NEEDS, Evaluation, Feature, Flag, Needs, Severity


@dataclass(frozen=True)
class Fired:
    """What a rule says where it fires."""

    sentence: str
    remedy: str
    evidence: Mapping[str, Any]
    paper: str = ""  # what a paper says of it, where that is not the sentence itself
    severity: Severity | None = None  # where it changes less than the rule can


@dataclass(frozen=True)
class FlagKind:
    """One audit rule; called with an evaluation it gives the flag, or None where it stays silent."""

    slug: str  # the public name
    title: str  # what it finds, in a few words
    severity: Severity  # the most it can change; a flag that fires may be less severe
    evidence: str  # the anchor in the report where the rows behind it stand
    explanation: str  # when it fires, exactly, and why that matters
    rule: Callable[[Evaluation], Fired | None]
    needs: Needs = NO_NEEDS  # what a task must have for the rule to be tried

    def __call__(self, evaluation: Evaluation) -> Flag | None:
        """The flag of an evaluation."""
        fired = self.rule(evaluation)
        if fired is None:
            return None
        if fired.severity is None:
            severity = self.severity
        else:
            severity = fired.severity
        paper = fired.paper or fired.sentence
        return Flag(self.slug, severity, fired.sentence, fired.remedy, paper, fired.evidence)


KINDS: dict[str, FlagKind] = {}  # every rule that is declared, by its slug


def flag(  # noqa: PLR0913 - what is declared of a rule
    slug: str,
    title: str,
    severity: Severity,
    evidence: str,
    explanation: str = "",
    *,
    needs: Feature | None = None,
) -> Callable[[Callable[[Evaluation], Fired | None]], FlagKind]:
    """Make a rule a kind of flag; its explanation is the rest of its docstring, and then what is given here."""

    def declared(rule: Callable[[Evaluation], Fired | None]) -> FlagKind:
        paragraphs = (rule.__doc__ or "").split("\n\n")[1:]
        told = " ".join(
            filter(None, (*(" ".join(each.split()) for each in paragraphs), explanation))
        )
        if needs is None:
            needed = NO_NEEDS
        else:
            needed = frozenset({needs})
        KINDS[slug] = FlagKind(slug, title, severity, evidence, told, rule, needed)
        return KINDS[slug]

    return declared
