"""The report's tables: an evaluation in, rows of printed cells out."""

from audit.report.tables.agreement_tables import kendall_table, spearman_table
from audit.report.tables.certainty_tables import rank_shares_table, separable_table
from audit.report.tables.classes_tables import classes_table, classwise_table
from audit.report.tables.competitiveness import competitiveness_table
from audit.report.tables.distributions_tables import held_by_metric_table, held_by_team_table
from audit.report.tables.files_tables import files_table, uncounted_table
from audit.report.tables.items_tables import items_table
from audit.report.tables.macro_f1_tables import gap_table, swaps_table
from audit.report.tables.metrics_tables import ranks_table, switched_metrics_tables
from audit.report.tables.ranking_tables import ranking_table
from audit.report.tables.readings_tables import readings_table
from audit.report.tables.spread_tables import spread_table
from audit.report.tables.winners_tables import winners_table

__all__ = [
    "classes_table",
    "classwise_table",
    "competitiveness_table",
    "files_table",
    "gap_table",
    "held_by_metric_table",
    "held_by_team_table",
    "items_table",
    "kendall_table",
    "rank_shares_table",
    "ranking_table",
    "ranks_table",
    "readings_table",
    "separable_table",
    "spearman_table",
    "spread_table",
    "swaps_table",
    "switched_metrics_tables",
    "uncounted_table",
    "winners_table",
]
