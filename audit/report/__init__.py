"""From an evaluation to what leaves the house: HTML, JSON, CSV."""

from audit.report.build import build_page
from audit.report.export import csv_text, evaluation_data, flag_data, ranking_data, scores_csv, to_json
from audit.report.html import render_html, render_page
from audit.report.page import Page
from audit.report.printing import rank_set_text
from audit.report.readings import identification_data, macro_f1_data, preset_data

__all__ = [
    "Page",
    "build_page",
    "csv_text",
    "evaluation_data",
    "flag_data",
    "identification_data",
    "macro_f1_data",
    "preset_data",
    "rank_set_text",
    "ranking_data",
    "render_html",
    "render_page",
    "scores_csv",
    "to_json",
]
