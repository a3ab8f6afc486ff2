"""How sure scores and their order are: intervals, comparisons, the best set, and what a test set can tell."""

from audit.domain import FAMILY_WISE_ERROR
from audit.inference.certainty_analysis import certainty_of
from audit.inference.comparison import compare
from audit.inference.gaussian import N_DRAWS
from audit.inference.influence.items import Items, items_of
from audit.inference.influence.weighted_sample import Draws, Sample
from audit.inference.intervals import Scored, ends_of_entries, intervals_of, wilson
from audit.inference.item_contributions import contributions_of
from audit.inference.only_one_right import only_right, pairs_of
from audit.inference.pair import compare_pair
from audit.inference.power.first_two import power_of
from audit.inference.power.planning import plan
from audit.inference.relation import Relation
from audit.inference.weights.bootstrap import resample
from audit.inference.weights.randomization import randomization_p

__all__ = [
    "FAMILY_WISE_ERROR",
    "N_DRAWS",
    "Draws",
    "Items",
    "Relation",
    "Sample",
    "Scored",
    "certainty_of",
    "compare",
    "compare_pair",
    "contributions_of",
    "ends_of_entries",
    "intervals_of",
    "items_of",
    "only_right",
    "pairs_of",
    "plan",
    "power_of",
    "randomization_p",
    "resample",
    "wilson",
]
