"""Rankings of teams, and how alike metrics rank them."""

from audit.ranking.agreement import agreement, identical_rankings, kendall_tau_b, spearman
from audit.ranking.ranks import TIE_TOLERANCE, as_published, competition_ranks, printed_ranks, published_ranks

__all__ = [
    "TIE_TOLERANCE",
    "agreement",
    "as_published",
    "competition_ranks",
    "identical_rankings",
    "kendall_tau_b",
    "printed_ranks",
    "published_ranks",
    "spearman",
]
