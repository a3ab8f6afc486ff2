"""From an evaluation to what leaves the house: HTML, JSON, CSV."""

from audit.report.build import build_page
from audit.report.export import csv_text, evaluation_data, flag_data, pair_data, ranking_data, scores_csv, to_json
from audit.report.family import FamilyRows, family_csv, family_data, family_page, family_rows, render_family
from audit.report.html import render_html, render_page
from audit.report.page import FamilyPage, Page
from audit.report.printing import fewer_items, marks, rank_set_text, tier_text
from audit.report.tables.baselines import baseline_rank, baseline_score, by_score

__all__ = [
    "FamilyPage",
    "FamilyRows",
    "Page",
    "baseline_rank",
    "baseline_score",
    "build_page",
    "by_score",
    "csv_text",
    "evaluation_data",
    "family_csv",
    "family_data",
    "family_page",
    "family_rows",
    "fewer_items",
    "flag_data",
    "marks",
    "pair_data",
    "rank_set_text",
    "ranking_data",
    "render_family",
    "render_html",
    "render_page",
    "scores_csv",
    "tier_text",
    "to_json",
]
