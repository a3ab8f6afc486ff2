"""One function for each thing a user does: files to store, store to evaluation, evaluation to report.

Nothing is computed here, and no text is written for a terminal or a page: each function reads, calls the engine, and
writes. What takes long to import is imported where it is used, so that a command that needs little starts at once.
"""

from audit.workflow.asked_of_tasks import ShiftedRankings, compare_entries, identify_scores, rank_shifted
from audit.workflow.checking_files import AnswerKey, check, key_of_folder, key_of_gold, key_of_task
from audit.workflow.exported_folder import check_vacant, export_task, write_folder
from audit.workflow.given_confusions import Planned, ScoredFile, plan_items, score_file
from audit.workflow.loading_folders import Loaded, copy_sample, draft, load
from audit.workflow.named_score import score_key
from audit.workflow.stored_tasks import evaluate_task, only_task, read_evaluation, read_items, read_scores
from audit.workflow.two_states import ComparedSides, compare_loads
from audit.workflow.whole_files import write_text
from audit.workflow.written_reports import (
    check_replaceable,
    default_family_report,
    default_report,
    report_paths,
    write_family,
    write_family_report,
    write_report,
)

__all__ = [
    "AnswerKey",
    "ComparedSides",
    "Loaded",
    "Planned",
    "ScoredFile",
    "ShiftedRankings",
    "check",
    "check_replaceable",
    "check_vacant",
    "compare_entries",
    "compare_loads",
    "copy_sample",
    "default_family_report",
    "default_report",
    "draft",
    "evaluate_task",
    "export_task",
    "identify_scores",
    "key_of_folder",
    "key_of_gold",
    "key_of_task",
    "load",
    "only_task",
    "plan_items",
    "rank_shifted",
    "read_evaluation",
    "read_items",
    "read_scores",
    "report_paths",
    "score_file",
    "score_key",
    "write_family",
    "write_family_report",
    "write_folder",
    "write_report",
    "write_text",
]
