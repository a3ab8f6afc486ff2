"""The metric core: confusions, kernels, calibration, the gap between the two macro F1s, and the registry."""

from audit.domain import Cells
from audit.metrics.baselines import BASELINE_KINDS, ORACLE_TEAMS, baseline_of, chance_baselines, oracle
from audit.metrics.calibration import calibrate, calibrated_margins
from audit.metrics.composites import (
    Term,
    composite_name,
    mean_of_terms,
    terms_of,
)
from audit.metrics.confusion import Margins, TooManyCellsError, count_cells, count_confusions
from audit.metrics.further import FAMILIES
from audit.metrics.influence_functions import Influence, gradient_of, influence, row_scale
from audit.metrics.item_score_metrics import (
    ITEM_SCORE_METRICS,
    MeanOf,
    class_means,
    has_influence,
    influence_of_items,
    mean_of,
    score_items,
)
from audit.metrics.kernels.answered_items import answered_margins
from audit.metrics.kernels.gap import GAP_FORMULA, gap_by_class_pair, kinds_of_classes, macro_f1_gap
from audit.metrics.kernels.gradients import Gradient
from audit.metrics.kernels.weighted_precision import DescendingItems
from audit.metrics.metric import Holds, Metric, Properties
from audit.metrics.names import (
    AMBIGUOUS_MACRO_F1,
    NamedMetric,
    averaged_in_words,
    counting_unanswered,
    metric_name,
    metric_of,
    named_metric,
    parse_score_key,
    phrase,
    reading_phrase,
    scale_of,
    without_rest,
)
from audit.metrics.projection import by_answer, margins_under, projected_margins
from audit.metrics.readings.presets import PRESETS, Preset
from audit.metrics.readings.prevalence_text import parse_prevalence, parse_shares
from audit.metrics.readings.reading_names import difference_in_words, parse_reading
from audit.metrics.readings.reading_scores import count_answers, score_readings
from audit.metrics.registry import (
    AGGREGATES,
    BOTH_MACRO_F1,
    CLASS_METRICS,
    METRICS,
    STANDARD,
    TRIGGERS,
    VOTERS,
    aggregate_keys,
    aggregates_of,
    registered,
    triggers_of,
)
from audit.metrics.scoring import (
    all_keys,
    goodness,
    lost_classes,
    margins_at,
    prevalence_shares,
    score,
    score_each,
    score_margins,
    score_what_is_left,
)
from audit.metrics.spread import Spread, spread_of, spread_over_classes
from audit.metrics.witnesses import SEARCHES, chance_bound, chance_corrected

__all__ = [
    "AGGREGATES",
    "AMBIGUOUS_MACRO_F1",
    "BASELINE_KINDS",
    "BOTH_MACRO_F1",
    "CLASS_METRICS",
    "FAMILIES",
    "GAP_FORMULA",
    "ITEM_SCORE_METRICS",
    "METRICS",
    "ORACLE_TEAMS",
    "PRESETS",
    "SEARCHES",
    "STANDARD",
    "TRIGGERS",
    "VOTERS",
    "Cells",
    "DescendingItems",
    "Gradient",
    "Holds",
    "Influence",
    "Margins",
    "MeanOf",
    "Metric",
    "NamedMetric",
    "Preset",
    "Properties",
    "Spread",
    "Term",
    "TooManyCellsError",
    "aggregate_keys",
    "aggregates_of",
    "all_keys",
    "answered_margins",
    "averaged_in_words",
    "baseline_of",
    "by_answer",
    "calibrate",
    "calibrated_margins",
    "chance_baselines",
    "chance_bound",
    "chance_corrected",
    "class_means",
    "composite_name",
    "count_answers",
    "count_cells",
    "count_confusions",
    "counting_unanswered",
    "difference_in_words",
    "gap_by_class_pair",
    "goodness",
    "gradient_of",
    "has_influence",
    "influence",
    "influence_of_items",
    "kinds_of_classes",
    "lost_classes",
    "macro_f1_gap",
    "margins_at",
    "margins_under",
    "mean_of",
    "mean_of_terms",
    "metric_name",
    "metric_of",
    "named_metric",
    "oracle",
    "parse_prevalence",
    "parse_reading",
    "parse_score_key",
    "parse_shares",
    "phrase",
    "prevalence_shares",
    "projected_margins",
    "reading_phrase",
    "registered",
    "row_scale",
    "scale_of",
    "score",
    "score_each",
    "score_items",
    "score_margins",
    "score_readings",
    "score_what_is_left",
    "spread_of",
    "spread_over_classes",
    "terms_of",
    "triggers_of",
    "without_rest",
]
