"""Write what an evaluation shows as HTML, JSON and CSV."""

from audit.flags.shown_intervals import shown_intervals
from audit.report.baseline_rows import baseline_rank, baseline_score, by_score
from audit.report.briefs import briefs_of
from audit.report.build import build_page
from audit.report.data.difference_data import difference_data
from audit.report.data.exploring import (
    elections_data,
    projection_data,
    properties_data,
    shift_data,
)
from audit.report.data.export import (
    csv_text,
    evaluation_data,
    findings_data,
    flag_data,
    pair_data,
    ranking_data,
    scores_csv,
    to_json,
)
from audit.report.data.readings_data import identification_data, macro_f1_data, preset_data
from audit.report.data.score_data import confusion_data
from audit.report.data.slices_data import slice_data, sliced_data
from audit.report.html import render_html, render_page, render_short
from audit.report.interval_reasons import ranking_comparison
from audit.report.page import FamilyPage, Page, Table
from audit.report.sections.distributions_section import map_statements
from audit.report.sections.pair_lookup import pair_sentences
from audit.report.sections.properties_section import NUMERALS, witness_sentence
from audit.report.sections.published_section import names_said
from audit.report.sections.verdict_box import MOST_TO_DO
from audit.report.sections.winners_section import reached
from audit.report.several_test_sets import (
    FamilyRows,
    family_csv,
    family_data,
    family_page,
    family_rows,
    render_family,
)
from audit.report.short_view import short_text
from audit.report.table_printing import (
    BEST_MARK,
    UNCERTAIN_MARK,
    best_notes,
    interval_notes,
    mark_notes,
    printing,
)
from audit.report.tables import held_by_metric_table, held_by_team_table
from audit.report.text_ranking import INTERVAL_HEAD, certainty_columns, marked_name, notes_on_entries

__all__ = [
    "BEST_MARK",
    "INTERVAL_HEAD",
    "MOST_TO_DO",
    "NUMERALS",
    "UNCERTAIN_MARK",
    "FamilyPage",
    "FamilyRows",
    "Page",
    "Table",
    "baseline_rank",
    "baseline_score",
    "best_notes",
    "briefs_of",
    "build_page",
    "by_score",
    "certainty_columns",
    "confusion_data",
    "csv_text",
    "difference_data",
    "elections_data",
    "evaluation_data",
    "family_csv",
    "family_data",
    "family_page",
    "family_rows",
    "findings_data",
    "flag_data",
    "held_by_metric_table",
    "held_by_team_table",
    "identification_data",
    "interval_notes",
    "macro_f1_data",
    "map_statements",
    "mark_notes",
    "marked_name",
    "names_said",
    "notes_on_entries",
    "pair_data",
    "pair_sentences",
    "preset_data",
    "printing",
    "projection_data",
    "properties_data",
    "ranking_comparison",
    "ranking_data",
    "reached",
    "render_family",
    "render_html",
    "render_page",
    "render_short",
    "scores_csv",
    "shift_data",
    "short_text",
    "shown_intervals",
    "slice_data",
    "sliced_data",
    "to_json",
    "witness_sentence",
]
