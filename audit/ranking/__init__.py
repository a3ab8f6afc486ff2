"""Rankings of teams: how alike metrics rank them, and what other rules and class distributions make of them."""

from audit.ranking.counterexamples import classes_counted, demonstrate, holds
from audit.ranking.counting_runs import Runs, part_runs
from audit.ranking.families import Family, Row, Summary, family_of, summarise
from audit.ranking.nearest import MANY_CLASSES, nearest_change
from audit.ranking.prevalence_shift import (
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
from audit.ranking.projected import Projection, project
from audit.ranking.published_ranking import published_ranks, published_scores
from audit.ranking.rank_aggregation import (
    RULES,
    Rule,
    borda,
    condorcet_winner,
    copeland,
    default_voters,
    elect,
    elections,
    mean_rank,
    meta_balance,
    outcomes_of,
    pareto_front,
    preferences,
)
from audit.ranking.rank_agreement import agreement, identical_rankings, kendall_tau_b, spearman
from audit.ranking.ranks import (
    TIE_TOLERANCE,
    as_published,
    competition_ranks,
    first_places,
    printed_ranks,
    ranks_among,
    would_be_rank,
)
from audit.ranking.ranks_by_several import mean_ranks, mean_ranks_of
from audit.ranking.score_sources import ScoreSources
from audit.ranking.selection import expected_maximum
from audit.ranking.simplex import monte_carlo_interval, winner_map, winner_maps

__all__ = [
    "MANY_CLASSES",
    "RULES",
    "TIE_TOLERANCE",
    "Family",
    "Projection",
    "Row",
    "Rule",
    "Runs",
    "Scenario",
    "ScoreSources",
    "Summary",
    "against_the_rest",
    "agreement",
    "as_published",
    "borda",
    "classes_counted",
    "competition_ranks",
    "condorcet_winner",
    "copeland",
    "default_voters",
    "demonstrate",
    "drawn_nearby",
    "drawn_uniformly",
    "elect",
    "elections",
    "expected_maximum",
    "family_of",
    "first_places",
    "first_under",
    "holds",
    "identical_rankings",
    "kendall_tau_b",
    "mean_rank",
    "mean_ranks",
    "mean_ranks_of",
    "meta_balance",
    "monte_carlo_interval",
    "nearest_change",
    "outcomes_of",
    "pareto_front",
    "part_runs",
    "preferences",
    "printed_ranks",
    "project",
    "published_ranks",
    "published_scores",
    "ranks_among",
    "reference_shares",
    "scenario",
    "scores_under",
    "spearman",
    "summarise",
    "total_variation",
    "triangle_rows",
    "winner_map",
    "winner_maps",
    "would_be_rank",
]
