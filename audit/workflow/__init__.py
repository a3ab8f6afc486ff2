"""One function for each thing a user does: files to store, store to evaluation, evaluation to report.

Nothing is computed here, and no text is written for a terminal or a page: each function reads, calls the engine, and
writes. What takes long to import is imported where it is used, so that a command that needs little starts at once.
"""

from audit.workflow.given_files import (
    check,
    check_for_participants,
    key_of_folder,
    key_of_gold,
    key_of_kit,
    key_of_task,
    plan_items,
    score_file,
    without_reference,
)
from audit.workflow.loading_folders import Loaded, copy_sample, issues_of, load, write_draft
from audit.workflow.named_campaigns import (
    Named,
    compare_campaign_loads,
    export_campaign,
    read_campaign,
    resolve,
    write_campaign_pages,
)
from audit.workflow.plain_door import (
    has_settings,
    open_below,
    open_folder,
    open_named,
    save_opening,
)
from audit.workflow.platforms import score_one, write_competition, write_kit
from audit.workflow.stored_tasks import (
    compare_entries,
    compare_loads,
    evaluate_task,
    identify_scores,
    rank_shifted,
    read_evaluation,
    read_items,
    read_scores,
    score_key,
)
from audit.workflow.written_files import (
    check_replaceable,
    default_campaign_report,
    default_report,
    export_task,
    exported_editions,
    exported_files,
    report_paths,
    write_campaign,
    write_campaign_editions,
    write_campaign_report,
    write_editions,
    write_folder,
    write_report,
)
