"""The metric core: confusions, kernels, calibration, the gap between the two macro F1s, and the registry."""

from audit.domain import Cells
from audit.metrics.baselines import (
    BASELINE_KINDS,
    ORACLE_TEAMS,
    baseline_of,
    baseline_order,
    chance_baselines,
    oracle,
)
from audit.metrics.calibration import (
    by_answer,
    calibrate,
    calibrated_margins,
    margins_under,
    parse_prevalence,
    parse_shares,
)
from audit.metrics.composites import Term, composite_name, mean_of_terms, terms_of
from audit.metrics.confusion import Margins, TooManyCellsError, count_cells, count_confusions
from audit.metrics.further import FAMILIES
from audit.metrics.gradients import Gradient
from audit.metrics.item_score_metrics import (
    ITEM_SCORE_METRICS,
    class_losses,
    influence_of_items,
    is_of_losses,
    metrics_of_item_scores,
    score_items,
)
from audit.metrics.kernels import (
    GAP_FORMULA,
    answered_margins,
    gap_by_class_pair,
    kinds_of_classes,
    macro_f1_gap,
)
from audit.metrics.metric import Holds, Metric, Properties, chance_bound
from audit.metrics.names import (
    AMBIGUOUS_MACRO_F1,
    NamedMetric,
    averaged_in_words,
    counting_unanswered,
    cuts_of,
    is_of_item_scores,
    metric_name,
    metric_of,
    named_metric,
    parse_reading,
    parse_score_key,
    phrase,
    reading_phrase,
    scale_of,
    why_no_item_scores,
    without_rest,
)
from audit.metrics.number_metrics import RATING_METRICS, influence_of_numbers, score_numbers
from audit.metrics.presets import PRESETS, Preset
from audit.metrics.ratings import RATING_FUNCTIONS
from audit.metrics.reading_choices import rule_nouns
from audit.metrics.readings import count_answers, difference_in_words, score_readings
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
    aggregates_on,
    registered,
    triggers_of,
    voters_on,
)
from audit.metrics.scale_metrics import SCALE_METRICS
from audit.metrics.scoring import (
    Influence,
    all_keys,
    goodness,
    gradient_of,
    influence,
    lost_classes,
    margins_at,
    prevalence_shares,
    row_scale,
    score,
    score_each,
    score_margins,
    score_what_is_left,
    shares_of_scored,
    spread_of,
    spread_over_classes,
)
from audit.metrics.unit_metrics import UNIT_METRICS, score_units, unit_metrics_on, values_of_units
