"""Rankings of teams: how alike metrics rank them, and how sure their order is."""

from audit.ranking.agreement import agreement, identical_rankings, kendall_tau_b, spearman
from audit.ranking.delta_method import covariance, influence, standard_errors
from audit.ranking.demonstrations import Demonstration, demonstrate
from audit.ranking.elections import (
    RULES,
    Rule,
    Verdict,
    borda,
    condorcet_winner,
    copeland,
    default_voters,
    elect,
    mean_rank,
    meta_balance,
    pareto_front,
    preferences,
    verdicts_of,
)
from audit.ranking.families import Family, Row, Summary, family_of, summarise
from audit.ranking.nearest import nearest_change
from audit.ranking.pair import compare_pair
from audit.ranking.pairs import only_right, pairs_of
from audit.ranking.projected import Projection, project
from audit.ranking.randomization import against_the_first, pairwise_p
from audit.ranking.ranks import (
    TIE_TOLERANCE,
    as_published,
    competition_ranks,
    first_places,
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
from audit.ranking.whatif import (
    CONCENTRATION,
    Scenario,
    against_the_rest,
    drawn_nearby,
    drawn_uniformly,
    first_under,
    reference_shares,
    scenario,
    scores_under,
    total_variation,
    triangle_rows,
)
from audit.ranking.winner_map import DRAWS, monte_carlo_interval, winner_map, winner_maps

__all__ = [
    "CONCENTRATION",
    "DRAWS",
    "FAMILY_WISE_ERROR",
    "RULES",
    "TIE_TOLERANCE",
    "Demonstration",
    "Draws",
    "Family",
    "Projection",
    "Row",
    "Rule",
    "Runs",
    "Sample",
    "Scenario",
    "Separability",
    "Summary",
    "Verdict",
    "against_the_first",
    "against_the_rest",
    "agreement",
    "as_published",
    "borda",
    "compare_pair",
    "competition_ranks",
    "condorcet_winner",
    "copeland",
    "covariance",
    "default_replicates",
    "default_voters",
    "demonstrate",
    "drawn_nearby",
    "drawn_uniformly",
    "elect",
    "expected_maximum",
    "extend",
    "family_of",
    "first_places",
    "first_under",
    "identical_rankings",
    "influence",
    "kendall_tau_b",
    "mean_rank",
    "meta_balance",
    "monte_carlo_interval",
    "nearest_change",
    "only_right",
    "pairs_of",
    "pairwise_p",
    "pareto_front",
    "part_runs",
    "percentile_intervals",
    "preferences",
    "printed_ranks",
    "project",
    "published_ranks",
    "quantify",
    "rank_sets",
    "ranks_among",
    "reference_shares",
    "scenario",
    "scores_under",
    "separability",
    "spearman",
    "standard_errors",
    "summarise",
    "tiers",
    "total_variation",
    "triangle_rows",
    "verdicts_of",
    "winner_map",
    "winner_maps",
    "would_be_rank",
]
