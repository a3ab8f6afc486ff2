"""One function for each thing a user does: files to store, store to evaluation, evaluation to report."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, Self

from audit.domain import (
    BALANCED,
    NOTHING_STATED,
    OBSERVED,
    Campaign,
    Evaluation,
    Gold,
    Identification,
    LabelSet,
    PairComparison,
    Plan,
    Policies,
    ScoreKey,
    StatedOptions,
    Task,
    WinnerMap,
)
from audit.errors import SETTINGS_FILE, InputError, Issue, SupersededError, UsageError
from audit.execution import THIS_PROCESS, Blocks, Executor, Progress, Steps, of_step
from audit.resources import samples
from audit.text import did_you_mean, listed, quoted, visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from audit.formats import Checked, Claim
    from audit.inference.one_confusion import ConfusionScores
    from audit.ranking import Scenario
    from audit.report.bundle import ExportOptions, Items
    from audit.revision import Difference
    from audit.store import LoadSummary, Store

_REPORT_MARK = "– leaderboard audit".encode()
"""In the title of every report."""
_HEAD_OF_REPORT = 2**16  # bytes in which the title stands, however long it is
_SHOWN_FILES = 5
_STEM = 50  # characters of a file's name that fit into the 255 bytes of a file system in any script


@dataclass(frozen=True, eq=False)
class Loaded:
    """What loading a folder gave, for one of its test sets: what is to be said of it, not the answers.

    Those are in the store; holding them while they are read from there would be holding them twice.

    Parameters
    ----------
    task : Task
        The task.
    issues : tuple of Issue
        Every issue of every file, rejected files first.
    rejected, ignored : tuple of str
        The files that were not accepted, and those that no rule claims.
    summary : LoadSummary
        What changed in the store.
    """

    task: Task
    issues: tuple[Issue, ...]
    rejected: tuple[str, ...]
    ignored: tuple[str, ...]
    summary: "LoadSummary"

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """Those that no rule claims and that could hold labels: no documentation, score or picture."""
        from audit.formats import can_be_data

        return tuple(path for path in self.ignored if can_be_data(path))

    @classmethod
    def of(cls, campaign: Campaign, summary: "LoadSummary") -> Self:
        """What is to be said of a campaign that was loaded."""
        rejected = tuple(rejection.path for rejection in campaign.rejections)
        return cls(campaign.task, tuple(campaign.issues), rejected, campaign.ignored, summary)


@dataclass(frozen=True, eq=False)
class AnswerKey:
    """What a file is checked against."""

    gold: Gold
    """The task's gold."""
    settings: bytes | None = None
    """The campaign's task.toml; None where there is none."""
    part: str | None = None
    """Which test set of the campaign, where it has several."""
    policies: Policies | None = None
    """Those in force, where they are not the settings' own."""
    claims: "tuple[Claim, ...]" = ()
    """The submissions that are there, where it depends on them how a file is read."""
    folder: Path | None = None
    """The campaign's folder, where that is what a file is checked against."""


def load(  # noqa: PLR0913 - what a user may say of a load
    folder: Path,
    store: Path,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    executor: Executor = THIS_PROCESS,
    on_progress: Progress | None = None,
) -> tuple[Loaded, ...]:
    """Read every test set of a campaign's folder and keep them in the store, all of them or nothing.

    The executor reads the submissions only where there is much to read.

    Raises
    ------
    InputError
        When the gold cannot be used, or a submission is rejected and rejected ones are not skipped.
    StoreError
        When the store cannot be used.
    """
    from audit.formats import read_campaigns
    from audit.store import open_store

    campaigns = read_campaigns(
        folder, skip_rejected=skip_rejected, strict=strict, executor=executor, on_progress=on_progress
    )
    with open_store(store) as opened:
        summaries = opened.save_campaigns(*campaigns)
    return tuple(map(Loaded.of, campaigns, summaries))


def evaluate_task(
    slug: str,
    store: Path,
    stated: StatedOptions = NOTHING_STATED,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Evaluation:
    """Evaluate a task as the store holds it, and keep there what was computed.

    Options that are not stated are those of the campaign's settings file. The executor computes over blocks of items
    where there are more than fit into one. Where another process loads the task meanwhile, the store keeps nothing of
    what was computed of the former load.
    """
    from audit.evaluation import evaluate
    from audit.report.bundle import evaluation_document
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        with opened.campaign_to_evaluate(slug) as campaign:
            options = stated.over(campaign.options)
            evaluation = evaluate(campaign, options, executor=executor, on_step=on_step)
            evaluation = evaluation.settled(of_step(on_step, "comparing"))
        with suppress(SupersededError):
            opened.save_evaluation(evaluation, evaluation_document(evaluation))
    return evaluation


def only_task(store: Path) -> str:
    """The slug of the only task that the store holds.

    Raises
    ------
    UsageError
        When it holds none, or several.
    """
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        slugs = [task.slug for task in opened.tasks()]
    if not slugs:
        raise UsageError("The store is empty. Start with a campaign's folder: audit run FOLDER.")
    if len(slugs) > 1:
        raise UsageError(f"The store holds {listed(list(map(quoted, slugs)), limit=8)}: name one of them.")
    return slugs[0]


def read_evaluation(  # noqa: PLR0913 - what a user may say of an evaluation
    slug: str,
    store: Path,
    stated: StatedOptions = NOTHING_STATED,
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Evaluation:
    """Evaluate a task as the store holds it and leave the store as it is, with an executor as for `evaluate_task`.

    Options that are not stated are those of the campaign's settings file. Where a metric or prevalence is named, all
    pairs of teams are compared by it too.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric or prevalence.
    """
    from audit.evaluation import evaluate
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        options = stated.over(campaign.options)
        if metric is not None or prevalence is not None:
            named = str(score_key(campaign.task, metric, prevalence))
            options = replace(options, compare=(*options.compare, named))
        evaluation = evaluate(campaign, options, executor=executor, on_step=on_step)
        return evaluation.settled(of_step(on_step, "comparing"))


def read_scores(slug: str, store: Path, *, also: Sequence[str] = ()) -> Evaluation:
    """Score a task as the store holds it, with further metrics where named, and resample nothing.

    Raises
    ------
    MetricNameError
        When there is no such metric.
    """
    from audit.evaluation import score_campaign
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        return score_campaign(campaign, also=also)


Side = int | Path
"""One side of a difference: a load of the store by its number in the history, or a campaign's folder as it is now."""


@dataclass(frozen=True)
class ComparedSides:
    """Two states of a task, evaluated by the program as it is now, and their difference."""

    sides: tuple[str, str]
    """What was compared, the old one first, in words: “load 1”."""
    difference: "Difference"
    """What was changed, and what became of it."""


def compare_loads(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    old: Side | None = None,
    new: Side | None = None,
    stated: StatedOptions = NOTHING_STATED,
    *,
    skip_rejected: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> ComparedSides:
    """Evaluate two states of a task, and say what was changed and what became of it; leave the store as it is.

    Both are evaluated anew, by this version of the program and with the same options, so that the data alone make a
    difference.

    Parameters
    ----------
    slug : str
        The task.
    store : Path
        The store that keeps its history.
    old, new : int or Path, optional
        A load, as ``audit history`` counts them, or a campaign's folder, of which nothing is loaded. By default the
        new one is the latest load, and the old one the load before the new one: for a folder, the latest load.
    stated : StatedOptions
        Options of both evaluations; those that are not stated are the task's.
    skip_rejected : bool
        Whether a folder is read without the files that are rejected.
    executor, on_step
        As for `evaluate_task`.

    Raises
    ------
    InputError
        When a folder cannot be used.
    UsageError
        When there is no such task or load, or no load before the new one.
    """
    from audit.evaluation import evaluate
    from audit.formats import read_campaigns
    from audit.revision import difference_of
    from audit.store import open_store

    read = partial(read_campaigns, skip_rejected=skip_rejected, executor=executor)
    with open_store(store, create=False) as opened:
        n_loads = opened.n_loads(slug)
        after = n_loads if new is None else new
        before = _load_before(slug, after, n_loads) if old is None else old
        campaigns = [
            opened.past_campaign(slug, side) if isinstance(side, int) else _campaign_in(side, slug, read)
            for side in (before, after)
        ]
    options = stated.over(campaigns[1].options)
    one, other = (evaluate(campaign, options, executor=executor, on_step=on_step) for campaign in campaigns)
    return ComparedSides((_side_in_words(before), _side_in_words(after)), difference_of(one, other))


def _load_before(slug: str, new: Side, n_loads: int) -> int:
    before = n_loads if isinstance(new, Path) else new - 1
    if before < 1:
        told = "was loaded once" if n_loads == 1 else "has no load before the first"
        raise UsageError(
            f"The task {quoted(slug)} {told}: there is nothing to compare with. Load the folder again once it has "
            f"changed (audit load FOLDER), or name the changed folder: audit diff {visible(slug)} 1 FOLDER"
        )
    return before


def _campaign_in(folder: Path, slug: str, read: Callable[[Path], Sequence[Campaign]]) -> Campaign:
    """A task as a folder has it."""
    campaigns = {campaign.task.slug: campaign for campaign in read(folder)}
    if slug not in campaigns:
        has = listed([quoted(each) for each in campaigns], limit=_SHOWN_FILES)
        raise UsageError(f"The folder {visible(str(folder), 200)} holds {has}, and no task {quoted(slug)}.")
    return campaigns[slug]


def _side_in_words(side: Side) -> str:
    return f"load {side}" if isinstance(side, int) else f"the folder {visible(str(side), 200)}"


def score_key(task: Task, metric: str | None, prevalence: str | None) -> ScoreKey:
    """The score that a user asks for: the ranking metric, and the prevalence in its name, where nothing is said.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric or prevalence, or two prevalences are named.
    """
    from audit.metrics import parse_score_key

    key = parse_score_key(metric, task.label_set) if metric else task.ranking_metric
    known = [item.name for item in (OBSERVED, BALANCED, *task.prevalences)]
    wanted = prevalence or key.prevalence
    if wanted not in known:
        near = did_you_mean(wanted, known)
        raise UsageError(f"There is no prevalence {quoted(wanted)}.{near} This task has {listed(known)}.")
    if metric and prevalence and key.prevalence not in (OBSERVED.name, prevalence):
        raise UsageError(f"{quoted(metric)} and --prevalence {prevalence} name different prevalences.")
    return ScoreKey(key.metric, wanted)


def compare_entries(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    names: tuple[str, str],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    executor: Executor = THIS_PROCESS,
) -> tuple[PairComparison, str]:
    """Compare two entries of a task by one score, whose name in a sentence comes with it; leave the store as it is.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such entry, metric or prevalence, or one entry's scores are of other items.
    """
    from audit.evaluation import score_campaign
    from audit.inference import compare_pair
    from audit.metrics import phrase
    from audit.store import open_store

    blocks = Blocks(executor)
    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        key = score_key(campaign.task, metric, prevalence)
        evaluation = score_campaign(campaign, also=[str(key)], blocks=blocks)
        found = compare_pair(evaluation, campaign.predictions_of(evaluation.entries), *names, key, blocks=blocks)
    return found, phrase(key, campaign.task.label_set)


@dataclass(frozen=True, eq=False)
class ShiftedRankings:
    """A task ranked under class distributions other than the one at hand."""

    evaluation: Evaluation
    """The task as it was scored."""
    key: ScoreKey
    """The score that ranks."""
    scenarios: "tuple[Scenario, ...]"
    """Scores and ranks under each class distribution: those that were asked for, else those that have a name."""
    map: WinnerMap | None
    """Who wins where; None where distributions were asked for, or no other team could win."""


def rank_shifted(
    slug: str, store: Path, prevalences: Sequence[str] = (), *, metric: str | None = None
) -> ShiftedRankings:
    """Rank a task under other class distributions, each by its name or written out as ``label=share,…``.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric, or a distribution lacks a class of gold or names one that gold lacks.
    """
    from audit.metrics import parse_prevalence
    from audit.ranking import scenario, winner_map

    evaluation = read_scores(slug, store, also=[metric] if metric else [])
    key, labels = score_key(evaluation.task, metric, None), evaluation.task.label_set
    known, counts = evaluation.prevalences, evaluation.prevalence_counts
    wanted = [parse_prevalence(text, known, counts, labels) for text in prevalences]
    scenarios = tuple(scenario(evaluation, each, [key.metric]) for each in wanted or known)
    return ShiftedRankings(evaluation, key, scenarios, None if wanted else winner_map(evaluation, key))


@dataclass(frozen=True)
class Planned:
    """How many items a difference needs, and what that was judged from."""

    plan: Plan
    """The numbers."""
    label_set: LabelSet
    """The pilot's labels."""
    files: tuple[str, ...]
    """The pilot's confusions."""


def plan_items(  # noqa: PLR0913 - what a user may say of a plan
    pilots: Sequence[Path],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    difference: float | None = None,
    n_teams: int = 20,
    rows: Literal["gold", "predicted"] | None = None,
) -> Planned:
    """How many items a difference needs, from the confusions of one or two pilot systems.

    Parameters
    ----------
    pilots : sequence of Path
        Files of confusions.
    metric, prevalence : str, optional
        By which score; by default averaged F1.
    difference : float, optional
        Which true difference is to be found; by default that of two pilots.
    n_teams : int
        Teams whose pairs are all compared.
    rows : {"gold", "predicted"}, optional
        What stands in the rows of the files.

    Raises
    ------
    InputError
        When a file cannot be used.
    MetricNameError, UsageError
        When there is no such metric or prevalence, no difference is given or found, or two pilots have other labels.
    """
    import numpy as np

    from audit.formats import read_confusion
    from audit.inference import plan
    from audit.metrics import score

    read = [read_confusion(path, rows=rows) for path in pilots]
    label_set = read[0].labels
    confusions = np.stack([_in_order(found.labels, found.counts, label_set) for found in read])
    key = score_key(Task("pilot", "Pilot", label_set), metric, prevalence)
    if difference is None:
        if len(pilots) < 2:  # noqa: PLR2004 - a pair
            raise UsageError("Say which --difference is to be found; only two pilots have one of their own.")
        first, second = score(confusions[:2], [key], [OBSERVED, BALANCED], label_set)[0]
        difference = abs(float(first - second))
    found = plan(confusions, label_set, key, difference=difference, n_teams=n_teams)
    return Planned(found, label_set, tuple(path.name for path in pilots))


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """The scores of a file with one confusion matrix."""

    name: str
    """The file's name."""
    orientation_said_by: Literal["option", "file", "default"]
    """What says which axis is gold; ``default`` where nothing does, and rows are read as gold."""
    scores: "ConfusionScores"
    """The numbers."""


def score_file(
    path: Path, *, metrics: Sequence[str] = (), rows: Literal["gold", "predicted"] | None = None
) -> ScoredFile:
    """Score a file with one confusion matrix.

    Parameters
    ----------
    path : Path
        The file.
    metrics : sequence of str
        These scores alone; by default every metric, and the scores of each class.
    rows : {"gold", "predicted"}, optional
        What stands in the rows of the file.

    Raises
    ------
    InputError
        When the file cannot be used.
    MetricNameError, UsageError
        When there is no such metric or prevalence.
    """
    from audit.formats import read_confusion
    from audit.inference.one_confusion import score_confusion

    found = read_confusion(path, rows=rows)
    return ScoredFile(path.name, found.orientation_said_by, score_confusion(found.counts, found.labels, metrics))


def _in_order(labels: LabelSet, counts: "NDArray[np.int64]", label_set: LabelSet) -> "NDArray[np.int64]":
    """A confusion with its classes in the order of a label set."""
    if set(labels) != set(label_set):
        only = listed([quoted(label) for label in sorted(set(labels) ^ set(label_set))], limit=5)
        raise UsageError(f"The pilots' confusions have different labels: {only} in one of them only.")
    places = [labels.code_of[label] for label in label_set]
    return counts[places][:, [*places, len(labels)]]


def key_of_task(slug: str, store: Path) -> AnswerKey:
    """What a file is checked against: a task as the store holds it, with the policies it was loaded by."""
    from audit.formats import claims_of_loaded
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        outline = opened.load_outline(slug)
        settings = outline.settings.content if outline.settings else None
        part, policies = outline.task.part, outline.task.policies
        claims = () if settings is None else claims_of_loaded(settings, part, outline.roster, _files_of(opened, slug))
    return AnswerKey(outline.gold, settings, part, policies, claims)


def _files_of(opened: "Store", slug: str) -> Iterator[tuple[str, str, str | None]]:
    """Path, team and run of a task's current submissions that came from files."""
    for each in opened.submissions(slug):
        if each.path is not None and each.replaced_at is None:
            yield each.path, each.team, each.run


def key_of_folder(folder: Path, part: str | None = None) -> AnswerKey:
    """What a file is checked against: a campaign's folder, with task.toml or without, and no store."""
    from audit.formats import read_key

    gold, settings, claims = read_key(folder, part)
    return AnswerKey(gold, settings, part, claims=claims, folder=folder)


def key_of_gold(path: Path) -> AnswerKey:
    """What a file is checked against: a gold file alone."""
    from audit.formats import read_gold_file

    return AnswerKey(read_gold_file(path))


def check(path: Path, against: AnswerKey, place: str | None = None) -> "Checked":
    """Check one file of predictions exactly as a load would; nothing is loaded, and nothing scored.

    Parameters
    ----------
    path : Path
        The file.
    against : AnswerKey
        The gold, and all that is known of its campaign.
    place : str, optional
        Where in the campaign's folder it would stand; or else where it stands there, or a file of its name.

    Raises
    ------
    InputError
        When the file cannot be opened, or the settings are unusable.
    UsageError
        When it depends on where the file would stand how it is read, and that is not known.
    """
    from audit.formats import check_submission, read_alone

    data = read_alone(path)
    return check_submission(
        path.name,
        data,
        against.gold,
        against.settings,
        part=against.part,
        policies=against.policies,
        claims=against.claims,
        place=place or _place_in(against.folder, path, against.claims),
    )


def _place_in(folder: Path | None, path: Path, claims: "Sequence[Claim]") -> str | None:
    """Where a file stands in a campaign's folder, if it is one of the submissions there."""
    if folder is None or not path.resolve().is_relative_to(folder.resolve()):
        return None
    place = path.resolve().relative_to(folder.resolve()).as_posix()
    return place if any(claim.path == place or claim.path.startswith(f"{place}/") for claim in claims) else None


def identify_scores(slug: str, published: Path, store: Path) -> Identification:
    """Find which readings a published table of a task's scores is of.

    Raises
    ------
    InputError
        When the table cannot be used.
    StoreError
        When the store cannot be used, or has no such task.
    """
    from audit.formats import read_published
    from audit.readings import identify

    table = read_published(published)
    return identify(read_scores(slug, store), table)


def read_items(evaluation: Evaluation, store: Path) -> "Items":
    """The gold items of an evaluated task with every entry's answers, as the store holds them.

    They give a test set away: nobody gets them who does not ask.
    """
    from audit.report.bundle import items_of
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        return items_of(evaluation, opened.load_campaign(evaluation.task.slug))


def write_report(
    evaluation: Evaluation, path: Path | str, items: "Items | None" = None, *, on_step: Steps | None = None
) -> Path:
    """Write the HTML report of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    path : Path or str
        The file to write; a report that stood there is replaced.
    items : Items, optional
        Where ids and gold labels of single items may stand in it.
    on_step : callable, optional
        Called with the step, drawing or writing, and how far it is.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When the file cannot be written.
    """
    from audit.report import render_html

    check_replaceable(Path(path))
    html = render_html(evaluation, items, of_step(on_step, "drawing"))
    written = write_text(Path(path), html)
    if on_step is not None:
        on_step("writing", 1, 1)
    return written


def write_family_report(evaluations: Sequence[Evaluation], path: Path | str, reports: Sequence[Path] = ()) -> Path:
    """Write the HTML summary of a campaign with several test sets.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        One for each test set.
    path : Path or str
        The file to write; a report that stood there is replaced.
    reports : sequence of Path
        Each test set's own report, to which the summary then links.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When the file cannot be written.
    """
    from audit.report import render_family

    check_replaceable(Path(path))
    folder = Path(path).resolve().parent
    links = [os.path.relpath(report.resolve(), folder).replace(os.sep, "/") for report in reports]
    return write_text(Path(path), render_family(evaluations, links))


def write_family(evaluations: Sequence[Evaluation], reports: Sequence[Path]) -> Path | None:
    """Write the summary of several test sets beside their reports, over none of them; None where there is one."""
    if len(evaluations) == 1:
        return None
    name = _free_name(default_family_report(evaluations).name, {path.name.casefold() for path in reports})
    return write_family_report(evaluations, reports[0].with_name(name), reports)


def default_family_report(evaluations: Sequence[Evaluation]) -> Path:
    """Where the summary of several test sets goes when nobody says: in the current folder, under the family's name."""
    return default_report(f"{evaluations[0].task.family or evaluations[0].task.slug}-summary")


def check_replaceable(path: Path) -> None:
    """Refuse to write a report over a file that is none: the store, an input, or whatever else stands there.

    An empty file, a pipe and a device are written to.

    Raises
    ------
    UsageError
        When there is such a file.
    """
    head = b""
    with suppress(OSError):  # writing will say why
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD_OF_REPORT)
    if head and not (head.startswith(b"<!DOCTYPE html>") and _REPORT_MARK in head):
        raise UsageError(
            f"{visible(str(path), 200)} exists, and is no report: it is left as it is. Name another file with -o."
        )


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole or not at all; a pipe or a device takes the text as it comes."""
    try:
        if path.exists() and not path.is_file():
            _write(path, text)
        else:
            _replace(Path(os.path.realpath(path)), text)  # what a link stands for is replaced, not the link
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(path), error.strerror or str(error))]) from error
    return path


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name[:_STEM]}.part")
    try:
        _write(beside, text)
        beside.replace(path)
    finally:
        with suppress(OSError):  # it is gone once it has taken its place
            beside.unlink()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")


def default_report(slug: str) -> Path:
    """Where a report goes when nobody says: in the current folder, under the task's name.

    Examples
    --------
    >>> str(default_report("../flood posts"))
    'audit-flood-posts.html'
    """
    safe = re.sub(r"[^\w.\-]+", "-", slug).strip(".-") or "task"
    return Path(f"audit-{safe[:_STEM]}.html")


def report_paths(slugs: Sequence[str], output: Path | None) -> list[Path]:
    """Where the reports of a campaign go: that of one test set where it is said, those of several into a folder.

    Raises
    ------
    InputError
        When the folder cannot be made.
    """
    if len(slugs) == 1:
        return [output or default_report(slugs[0])]
    folder = output or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(folder), error.strerror or str(error))]) from error
    paths, taken = [], set[str]()
    for slug in slugs:
        name = _free_name(default_report(slug).name, taken)
        taken.add(name.casefold())
        paths.append(folder / name)
    return paths


def _free_name(name: str, taken: Collection[str]) -> str:
    """A file's name, or where another has it already, in whatever case, the first with a number behind it."""
    path, number, free = Path(name), 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{path.stem}-{number}{path.suffix}"
    return free


def copy_sample(name: str, into: Path) -> Path:
    """Copy a sample campaign into a folder, under its own name.

    Raises
    ------
    UsageError
        When there is no such sample, or a folder of this name is there already.
    """
    known = sorted(path.name for path in samples().iterdir() if (path / SETTINGS_FILE).is_file())
    if name not in known:
        raise UsageError(f"There is no sample {quoted(name)}.{did_you_mean(name, known)} There are {listed(known)}.")
    folder = into / name
    if folder.exists():
        raise UsageError(f"{visible(str(folder), 200)} exists already.")
    try:
        shutil.copytree(samples() / name, folder)
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(folder), error.strerror or str(error))]) from error
    return folder


def draft(folder: Path, *, overwrite: bool = False) -> Path:
    """Write a commented task.toml into a campaign's folder.

    Raises
    ------
    UsageError
        When there is one already and it is not to be overwritten.
    """
    path = folder / SETTINGS_FILE
    if path.exists() and not overwrite:
        raise UsageError(f"{visible(str(path), 200)} exists already. --force overwrites it.")
    from audit.formats import draft_settings

    return write_text(path, draft_settings(folder))


# The export


def export_task(  # noqa: PLR0913 - what a user may say of an export
    slug: str,
    folder: Path,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    stated: StatedOptions = NOTHING_STATED,
    overwrite: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Path:
    """Write everything that the audit has to say of a task into a folder, all of it or nothing.

    Raises
    ------
    UsageError
        When there is something in the folder, unless it is an export that may be overwritten.
    InputError
        When a name cannot be set, or the folder cannot be written.
    """
    from audit.evaluation import evaluate
    from audit.formats import latex_names
    from audit.report.bundle import DEFAULT_OPTIONS, export_files
    from audit.store import open_store

    check_vacant(folder, overwrite=overwrite)
    with open_store(store, create=False) as opened:
        campaign = opened.load_campaign(slug)
    evaluation = evaluate(campaign, stated.over(campaign.options), executor=executor, on_step=on_step)
    named = replace(options or DEFAULT_OPTIONS, latex_names=latex_names(campaign))
    files = export_files(evaluation, campaign, named, on_progress=of_step(on_step, "drawing"))
    return write_folder(folder, files, overwrite=overwrite)


def check_vacant(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that holds something; what is no export is not replaced even where that is asked for.

    Raises
    ------
    UsageError
        When the folder is not free.
    """
    shown = visible(str(folder), 200)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not _is_export(folder):
        raise UsageError(f"{shown} exists, and is no export: it is left as it is. Name another folder.")
    if not overwrite:
        raise UsageError(f"{shown} holds an export already. --force replaces it.")
    if others := _not_its_own(folder):
        listing = listed([quoted(name, 120) for name in others], limit=_SHOWN_FILES)
        raise UsageError(
            f"{shown} holds what the export did not write, or what was changed since: {listing}. Move it away, or name "
            "another folder."
        )


def _not_its_own(folder: Path) -> list[str]:
    """What an export did not write, and what is no longer as it wrote it."""
    from audit.report.bundle import SUMS, digests_of

    try:
        written = digests_of((folder / SUMS).read_text(encoding="utf-8"))
        there = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
        return [name for path in there if not _is_own(path, name := path.relative_to(folder).as_posix(), written)]
    except (OSError, ValueError):
        return [SUMS]


def _is_own(path: Path, name: str, written: Mapping[str, str]) -> bool:
    from audit.report.bundle import SUMS

    if path.is_symlink() or not path.is_file():
        return False
    return name == SUMS or written.get(name) == hashlib.sha256(path.read_bytes()).hexdigest()


def _is_export(folder: Path) -> bool:
    from audit.report.bundle import EXPORT_MARK

    readme = folder / "README.txt"
    with suppress(OSError, UnicodeError):
        return readme.read_text(encoding="utf-8").startswith(EXPORT_MARK)
    return False


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool = False) -> Path:
    """Write a folder of files whole or not at all: beside its place, and then into it, with their digests.

    Raises
    ------
    UsageError, InputError
        When the folder is not free, or cannot be written.
    """
    from audit.report.bundle import SUMS, sums

    check_vacant(folder, overwrite=overwrite)
    place = Path(os.path.realpath(folder))  # what a link stands for is replaced, not the link
    try:
        with TemporaryDirectory(dir=place.parent, prefix=f".{place.name[:_STEM]}.") as beside:
            new, before = Path(beside) / "new", Path(beside) / "before"
            for name, content in {**files, SUMS: sums(files)}.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _take_place(place, new, before)
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(folder), error.strerror or str(error))]) from error
    return folder


def _take_place(place: Path, new: Path, before: Path) -> None:
    """Put a new folder where the old one stands; where that fails, the old one is back."""
    if not place.exists():
        new.rename(place)
        return
    place.rename(before)
    try:
        new.rename(place)
    except OSError:
        before.rename(place)
        raise
