"""What is asked of an evaluation: options are no data, and no part of what a campaign is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.errors import UsageError

MOST_REPLICATES, MOST_SEED = 1_000_000, 2**32 - 1


@dataclass(frozen=True)
class Options:
    """The options of an evaluation. Evaluations of the same data with other options stand beside each other."""

    replicates: int = 0
    """Replicates of item weights, for what has no influence function: correlations, shares of first places, and a
    second opinion on intervals. 0 for none.
    """
    seed: int = 1  # seeds every draw
    certainty: bool = True  # whether intervals and comparisons are computed
    compare: tuple[str, ...] = ()
    """Names of scores by which all pairs of teams are compared, such as ``mcc~``, beside those that always are."""

    def __post_init__(self) -> None:
        for name, most in (("replicates", MOST_REPLICATES), ("seed", MOST_SEED)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
                raise UsageError(f"{name} is a whole number from 0 to {most:,}, not {value!r}.")


def options_from(document: Mapping[str, Any]) -> Options:
    """The options that stand in a document as :func:`dataclasses.asdict` gives them; other fields of it are let be."""
    certainty, compare = document["certainty"], document["compare"]
    if not isinstance(certainty, bool):
        raise UsageError(f"certainty is true or false, not {certainty!r}.")
    if not isinstance(compare, list) or not all(isinstance(name, str) for name in compare):
        raise UsageError(f"compare is a list of names, not {compare!r}.")
    return Options(document["replicates"], document["seed"], certainty, tuple(compare))


@dataclass(frozen=True)
class StatedOptions:
    """The options that a user states; None where the user is silent, and the campaign's own hold.

    Parameters are those of :class:`Options`.
    """

    replicates: int | None = None
    seed: int | None = None
    certainty: bool | None = None
    compare: tuple[str, ...] | None = None

    def over(self, options: Options) -> Options:
        """Options, with what is stated here in place of theirs."""
        return Options(
            replicates=options.replicates if self.replicates is None else self.replicates,
            seed=options.seed if self.seed is None else self.seed,
            certainty=options.certainty if self.certainty is None else self.certainty,
            compare=options.compare if self.compare is None else self.compare,
        )


NOTHING_STATED = StatedOptions()
