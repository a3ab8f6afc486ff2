"""Gold and submissions that are named as files, audited as `audit run --gold` audits them."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from audit.domain import Options
from audit.errors import UsageError
from audit.evaluation import evaluate as evaluate_campaign
from audit.execution import THIS_PROCESS, Executor
from audit.notebook.notebook_evaluation import NotebookEvaluation

FilePath = str | PathLike[str]


def load(  # noqa: PLR0913 - what a user may say beside gold and submissions
    *,
    gold: FilePath,
    submissions: Sequence[FilePath] | FilePath,
    id: str | None = None,  # noqa: A002 - as the option is called
    label: str | None = None,
    kind: str | None = None,
    scale: bool | Sequence[str] | None = None,
    group: str | None = None,
    official_metric: str | None = None,
    runs: str | None = None,
    aliases: Mapping[str, str] | None = None,
    name: str | None = None,
    skip_rejected: bool = False,
    certainty: bool = True,
    executor: Executor = THIS_PROCESS,
) -> NotebookEvaluation:
    """Audit files of gold and predictions, exactly as ``audit run --gold GOLD SUBMISSIONS`` does.

    Parameters
    ----------
    gold : path
        The file with the gold labels.
    submissions : path or sequence of paths
        The files with the teams' answers; folders and archives of them, and globs.
    id, label : str, optional
        The columns of ids and of labels, ``"GOLD=SUBMISSION"`` where the two are called otherwise.
    kind : {"labels", "sets", "spans"}, optional
        What is scored; by default what the files hold.
    scale : bool or sequence of str, optional
        Whether the labels, numbers, are steps of a scale; of other labels all steps, lowest first.
    group : str, optional
        The column of gold whose equal values say that items belong together; ``"none"`` where none do.
    official_metric : str, optional
        The metric that ranks, as ``audit metrics`` lists it.
    runs : {"all", "best", "last", "primary"}, optional
        Which runs of a team are ranked.
    aliases : mapping of spelling to label, optional
        Other spellings of labels.
    name : str, optional
        Team and run in the names of files, as a pattern: ``"{team}-{run}"``.
    skip_rejected : bool
        Go on without files that cannot be read.
    certainty : bool
        Whether intervals and comparisons are computed.
    executor : Executor
        What computes, as for :func:`audit.evaluate`.

    Returns
    -------
    NotebookEvaluation
        As :func:`audit.evaluate` gives.

    Raises
    ------
    UsageError
        Where one question has to be answered first; the message says how.
    InputError
        Where a file cannot be read.
    """
    from audit.formats.campaign.campaigns import campaigns_of
    from audit.formats.door.opening import open_door
    from audit.formats.door.said import Said

    if isinstance(submissions, str | PathLike):
        named = [submissions]
    else:
        named = list(submissions)
    if isinstance(scale, str):
        raise UsageError("scale is True, False, or all steps, lowest first.")
    said = Said(
        id=id,
        label=label,
        kind=kind,
        scale=scale if scale is None or isinstance(scale, bool) else tuple(map(str, scale)),
        group=group,
        official_metric=official_metric,
        runs=runs,
        alias=tuple(f"{spelling}={meant}" for spelling, meant in (aliases or {}).items()),
        name=name,
    )
    opening = open_door(Path(gold), list(map(Path, named)), said, skip_rejected=skip_rejected)
    with opening.tree() as tree:
        (campaign,) = campaigns_of(tree, skip_rejected=skip_rejected, executor=executor)
    evaluation = evaluate_campaign(campaign, Options(certainty=certainty), executor=executor)
    return NotebookEvaluation.of(evaluation, campaign.predictions_of(evaluation.entries), executor)
