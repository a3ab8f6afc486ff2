"""How sure scores and their order are: intervals, comparisons, the best set, and what a test set can tell."""

from audit.domain import FAMILY_WISE_ERROR
from audit.inference.certainty_analysis import certainty_of, contributions_of, only_right, pairs_of, power_of
from audit.inference.comparison import compare, compare_pair
from audit.inference.confusions_alone import plan
from audit.inference.gaussian import N_DRAWS
from audit.inference.intervals import Scored, ends_of_entries, intervals_of, wilson
from audit.inference.items import Items, items_of
from audit.inference.relation import Relation
from audit.inference.resampling import randomization_p, resample
from audit.inference.weighted import Draws, Sample
