"""Rankings of teams: how alike metrics rank them, and what other rules and class distributions make of them."""

from audit.ranking.counting_runs import Runs, part_runs
from audit.ranking.families import Family, Row, Summary, family_of, summarise
from audit.ranking.nearest import MANY_CLASSES, monte_carlo_interval, nearest_change, winner_map, winner_maps
from audit.ranking.prevalence_shift import (
    Projection,
    Scenario,
    ScoreSources,
    against_the_rest,
    drawn_nearby,
    drawn_uniformly,
    first_under,
    project,
    reference_shares,
    scenario,
    scores_under,
    total_variation,
    triangle_rows,
)
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
from audit.ranking.ranks import (
    TIE_TOLERANCE,
    agreement,
    as_published,
    competition_ranks,
    expected_maximum,
    first_places,
    identical_rankings,
    kendall_tau_b,
    mean_ranks,
    mean_ranks_of,
    printed_ranks,
    published_ranks,
    published_scores,
    ranks_among,
    spearman,
    would_be_rank,
)
