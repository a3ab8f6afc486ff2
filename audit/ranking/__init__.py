"""Rankings of teams: how alike metrics rank them, and how sure their order is."""

from audit.ranking.agreement import agreement, identical_rankings, kendall_tau_b, spearman
from audit.ranking.delta_method import covariance, influence, standard_errors
from audit.ranking.families import Family, Row, Summary, family_of, summarise
from audit.ranking.pair import compare_pair
from audit.ranking.randomization import against_the_first, pairwise_p
from audit.ranking.ranks import (
    TIE_TOLERANCE,
    as_published,
    competition_ranks,
    printed_ranks,
    published_ranks,
    ranks_among,
    would_be_rank,
)
from audit.ranking.replicates import percentile_intervals
from audit.ranking.resampling import Draws, Sample, default_replicates
from audit.ranking.runs import Runs, part_runs
from audit.ranking.selection import expected_maximum
from audit.ranking.separability import FAMILY_WISE_ERROR, Separability, rank_sets, separability, tiers
from audit.ranking.uncertainty import extend, quantify

__all__ = [
    "FAMILY_WISE_ERROR",
    "TIE_TOLERANCE",
    "Draws",
    "Family",
    "Row",
    "Runs",
    "Sample",
    "Separability",
    "Summary",
    "against_the_first",
    "agreement",
    "as_published",
    "compare_pair",
    "competition_ranks",
    "covariance",
    "default_replicates",
    "expected_maximum",
    "extend",
    "family_of",
    "identical_rankings",
    "influence",
    "kendall_tau_b",
    "pairwise_p",
    "part_runs",
    "percentile_intervals",
    "printed_ranks",
    "published_ranks",
    "quantify",
    "rank_sets",
    "ranks_among",
    "separability",
    "spearman",
    "standard_errors",
    "summarise",
    "tiers",
    "would_be_rank",
]
