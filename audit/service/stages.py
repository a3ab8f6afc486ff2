"""What a child process does: one function for each kind of job, from plain values to plain values and files.

Everything is written into a folder of the attempt's own, which is there. Whether it counts is decided by the worker.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import chdir
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from audit import workflow
from audit.domain import (
    POLICY_KINDS,
    Campaign,
    ChosenRun,
    Evaluation,
    Feature,
    Gold,
    LabelSet,
    Submission,
)
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, UsageError, causes_of
from audit.evaluation import evaluate as evaluate_campaign
from audit.execution import Steps, of_step
from audit.execution.processes import Processes
from audit.findings.campaign import CampaignFindings
from audit.formats.campaign.campaigns import read_campaigns
from audit.formats.door.opening import files_csv
from audit.formats.door.said import Said
from audit.formats.files.archives import Member, archive_ending, check_together, open_archive
from audit.formats.files.tree import DEEPEST, too_deep
from audit.metrics import AGGREGATES, metric_of, phrase
from audit.report.campaign_page import campaign_requests
from audit.report.campaign_words import CampaignWords, campaign_title
from audit.report.pairs import pair_sentences
from audit.report.published import names_said
from audit.service.child import STORE, Work
from audit.service.files import ContentFolder, Stored, checked_path
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ
from audit.service.releases import SUMMARY, WHOLE_DIFFERENCE, artefact_name, readers_edition
from audit.service.revisions import files_from
from audit.service.rules import HostingError, RefusedError
from audit.service.settings_text import Setting, edited
from audit.store import open_store
from audit.text import natural_order, quoted, visible
from audit.workflow.table_of_files import table_of_files
from audit.writers.bundle.archive import SUMS, evaluation_document, sums, zip_bytes
from audit.writers.data.campaign_difference import campaign_difference_data
from audit.writers.data.command_data import identification_data, shift_data
from audit.writers.data.difference_data import difference_data
from audit.writers.data.export import pair_data, to_json, verdict_data
from audit.writers.data.plain import picked
from audit.writers.data.readers_data import readers_data

_CHOSEN = "the organisers chose it"  # their own reason may name a team
_KEPT_WHOLE = frozenset({"submissions"})  # an archive of this name is the folder of the submissions

Plain = dict[str, Any]


# Reading


def read(work: Work, tell: Steps) -> Plain:
    """Take in what changes, and say what every file is taken for."""
    content = ContentFolder(Path(work.content))
    files = files_after(content, work.arguments, Path(work.place), tell)
    folder = _laid_out(work, content, files)
    named = work.arguments.get("named")
    failed = {}
    if named is not None:
        try:
            texts = _texts_of_door(folder, named)
        except (InputError, UsageError) as error:
            failed = {"error": _door_question(error)}
        else:
            files = {
                **files,
                **{
                    path: content.keep_bytes(text, Path(work.place)) for path, text in texts.items()
                },
            }
            shutil.rmtree(folder)
            folder = _laid_out(work, content, files)
    found = {**findings(folder, tell), **failed}
    return {"files": {path: asdict(stored) for path, stored in files.items()}, "findings": found}


def _texts_of_door(folder: Path, named: Mapping[str, Any]) -> dict[str, bytes]:
    """task.toml and files.csv by the decision of ``audit run --gold``, for files that somebody named.

    A file that is meant as a submission and cannot be read stands in neither, so that the table asks about it.
    """
    said = Said(id=named["id"], label=named["label"])
    opening = workflow.open_below(
        folder, named["gold"], named["submissions"], said, skip_rejected=True
    )
    unread = {stray.path for stray in opening.meant}
    rows = [row for row in opening.rows if row.file not in unread]
    title = Setting((), "title", visible(folder.name, 200) or "Campaign")
    settings = edited(opening.settings.decode(), [title])
    return {SETTINGS_FILE: settings.encode(), MANIFEST: files_csv(rows).encode()}


def _door_question(error: InputError | UsageError) -> str:
    """What has to be answered or corrected before the files that were named can be read."""
    if isinstance(error, UsageError):
        return str(error)
    return " ".join(f"{visible(issue.file, 200)}: {issue.found}." for issue in error.issues[:3])


def files_after(
    content: ContentFolder, change: Mapping[str, Any], place: Path, tell: Steps
) -> dict[str, Stored]:
    """Every file of the campaign after a change; an archive that comes alone and first is the folder."""
    before = files_from(change["files"])
    added = files_from(change["added"])
    archive = next(iter(added), "")
    if not before and change["unpack"] and len(added) == 1 and _is_folder(archive):
        return _unpacked(content, archive, added[archive], place, tell)
    kept = {path: stored for path, stored in before.items() if path not in set(change["removed"])}
    return _one_thing_each({**kept, **added})


def _is_folder(path: str) -> bool:
    ending = archive_ending(path)
    return (
        ending is not None and "/" not in path and path[: -len(ending)].lower() not in _KEPT_WHOLE
    )


def _unpacked(
    content: ContentFolder, path: str, stored: Stored, place: Path, tell: Steps
) -> dict[str, Stored]:
    """The files in an archive, each kept by its digest: no name in it ever is a path on the disk."""
    with content.path_of(stored.sha256).open("rb") as file:
        members = _members(path, file)
        unpacked: dict[str, Stored] = {}
        for done, (name, member) in enumerate(members.items(), start=1):
            inner_path = checked_path(name)
            if inner_path in unpacked:
                raise RefusedError(
                    f"Two files in the archive are called {quoted(visible(inner_path, 100))}."
                )
            unpacked[inner_path] = content.keep_bytes(member(), place)
            tell("unpacking", done, len(members))
    return _one_thing_each(unpacked)


def _members(path: str, file: IO[bytes]) -> Mapping[str, Member]:
    """The files in an archive by their paths below what wraps them all: folders, and archives packed again."""
    outer = path
    size = file.seek(0, 2)
    n_archives = 1
    while True:
        archive = open_archive(path, file)
        check_together(path, archive.n_bytes, outer, size)
        only = next(iter(archive.members), "")
        if len(archive.members) != 1 or not _is_folder(only):
            return archive.members
        path, file, n_archives = f"{path}/{only}", BytesIO(archive.members[only]()), n_archives + 1
        if n_archives > DEEPEST:
            raise InputError([too_deep(path)])


def _one_thing_each(files: Mapping[str, Stored]) -> dict[str, Stored]:
    """The files in the order of their paths, where none is a folder of others."""
    folders = {str(above) for path in files for above in PurePosixPath(path).parents}
    if both := next((path for path in files if path in folders), None):
        raise RefusedError(
            f"{quoted(visible(both, 100))} is both a file and a folder. Remove one of them."
        )
    return dict(sorted(files.items()))


def _laid_out(work: Work, content: ContentFolder, files: Mapping[str, Stored]) -> Path:
    folder = Path(work.place) / "files" / work.slug
    content.lay_out(files, folder)
    return folder


def findings(folder: Path, tell: Steps) -> Plain:
    """What each file of a folder was taken for, and the issues, as plain data for JSON."""
    if (folder / SETTINGS_FILE).is_file():
        settings = (folder / SETTINGS_FILE).read_text("utf-8", "replace")
    else:
        settings = None
    data: Plain = {"settings": settings, "issues": [], "tasks": [], "is_usable": False}
    campaigns = None
    try:
        campaigns = read_campaigns(
            folder,
            skip_rejected=True,
            executor=Processes.one_per_core(),
            on_progress=of_step(tell, "reading"),
        )
    except InputError as error:
        data["issues"] = [cause.data() for cause in causes_of(error.issues)]
    except UsageError as error:
        data["error"] = str(error)
    table = table_of_files(folder, campaigns)
    data |= {"files": table.data(), "draft": table.settings}
    if campaigns is None:
        return data
    policies = [
        {"slug": kind.slug, "title": kind.title, "values": dict(kind.values)}
        for kind in POLICY_KINDS.values()
    ]
    return data | {
        "tasks": list(map(_task_data, campaigns)),
        "is_usable": True,
        "allowed": {"policies": policies},
    }


def _task_data(campaign: Campaign) -> Plain:
    task = campaign.task
    gold = campaign.gold
    return {
        **picked(
            task, "slug", "title", "part", "note", "official_metric", "assumptions", "policies"
        ),
        "ranks_by": phrase(task.ranking_metric, task.label_set),
        "metrics": _metrics_data(task.label_set),
        "labels": _labels_data(gold, task.label_set),
        "gold": {"file": gold.source.path if gold.source else None, "items": gold.n_items},
        "submissions": [
            _submission_data(campaign, submission) for submission in campaign.submissions
        ],
        "rejected": [
            {"file": each.path, "issues": [issue.data() for issue in each.issues]}
            for each in campaign.rejections
        ],
        "causes": [
            cause.data()
            for cause in causes_of(issue for each in campaign.rejections for issue in each.issues)
        ],
        **picked(campaign, "journal"),
    }


def _metrics_data(label_set: LabelSet) -> list[Plain]:
    """The metrics by which teams may be ranked."""
    if label_set.supports(Feature.CLASSES):
        return [picked(metric, "slug", "label") for metric in AGGREGATES]
    names = [*label_set.kind.traits.own_metrics, *(column.name for column in label_set.columns)]
    return [picked(metric_of(name, label_set), "slug", "label") for name in names]


def _labels_data(gold: Gold, label_set: LabelSet) -> list[Plain]:
    """The labels with their items; none where items have numbers."""
    if not label_set.supports(Feature.CLASSES):
        return []
    shown = zip(label_set, label_set.shown, strict=True)
    return [
        {"label": label, "name": name, "items": int((gold.codes == code).sum())}
        for code, (label, name) in enumerate(shown)
    ]


def _submission_data(campaign: Campaign, submission: Submission) -> Plain:
    n_classes = len(campaign.task.label_set)
    return {
        "file": submission.source.path if submission.source else None,
        **picked(submission, "team", "run", "role"),
        "answered": int((submission.codes < n_classes).sum()),
        "items": campaign.gold.n_items,
        "issues": [issue.data() for issue in submission.issues],
    }


# Evaluating


def evaluate(work: Work, tell: Steps) -> Plain:
    """Load, evaluate and report every test set into a store and files of this attempt's own."""
    place = Path(work.place)
    content = ContentFolder(Path(work.content))
    folder = _laid_out(work, content, files_from(work.arguments["files"]))
    store = place / STORE
    if (former := work.arguments["former_store"]) is not None:
        _copy_store(Path(former), store)
    loaded = workflow.load(
        folder,
        store,
        skip_rejected=work.arguments["skip_rejected"],
        executor=Processes.one_per_core(),
        on_step=tell,
    )
    slugs = [each.task.slug for each in loaded]
    evaluations = [
        workflow.evaluate_task(slug, store, executor=Processes.one_per_core(), on_step=tell)
        for slug in slugs
    ]
    _write_reports(evaluations, place, tell)
    tasks = [_released(evaluation, place, store) for evaluation in evaluations]
    shutil.rmtree(folder.parent)
    return {
        "signatures": {evaluation.task.slug: evaluation.signature for evaluation in evaluations},
        "tasks": tasks,
        "summary": SUMMARY if len(evaluations) > 1 else None,
        "whole": _whole(evaluations),
        "rejected": [path for each in loaded for path in each.rejected],
    }


def _whole(evaluations: Sequence[Evaluation]) -> Plain | None:
    """What is said of several test sets together; None of a single one."""
    if len(evaluations) < 2:  # noqa: PLR2004 - several
        return None
    found = CampaignFindings(evaluations)
    words = CampaignWords(found)
    return {
        "title": campaign_title(evaluations),
        "verdict": {"sentence": words.verdict(), "more": " ".join(words.more())},
        "to_do": campaign_requests(found),
    }


def _copy_store(former: Path, store: Path) -> None:
    """Begin with the campaign's history."""
    if not former.is_file():
        raise HostingError(
            f"The release before this one lost its store, {former.parent.name}/{former.name}, which holds the "
            "campaign's history. Whoever runs the service takes it from a backup; then repeat this."
        )
    shutil.copyfile(former, store)


def _write_reports(evaluations: Sequence[Evaluation], place: Path, tell: Steps) -> None:
    """The report of each test set, for its organisers and for readers, and what sums up several."""
    reports = [place / artefact_name(evaluation.task.slug, "report") for evaluation in evaluations]
    for evaluation, path in zip(evaluations, reports, strict=True):
        workflow.write_editions(evaluation, path, readers_edition(path), on_step=tell)
    if len(evaluations) > 1:
        path = place / SUMMARY
        found = CampaignFindings(evaluations)
        workflow.write_campaign_editions(found, path, readers_edition(path), reports)


def _released(evaluation: Evaluation, place: Path, store: Path) -> Plain:
    """The entry of one test set in lists of releases, and its document of all results."""
    slug = evaluation.task.slug
    with open_store(store, create=False) as opened:
        n_loads = opened.n_loads(slug)
    report, document = (artefact_name(slug, kind) for kind in ("report", "document"))
    data = evaluation_document(evaluation)
    (place / document).write_text(to_json(data), encoding="utf-8")
    readers_edition(place / document).write_text(to_json(readers_data(data)), encoding="utf-8")
    return {
        "slug": slug,
        "title": evaluation.task.title,
        "load": n_loads,
        "verdict": verdict_data(evaluation),
        "entries": [
            evaluation.entries[place].name
            for place in evaluation.order(evaluation.task.ranking_metric)
        ],
        "metric": str(evaluation.task.ranking_metric),
        "findings": [
            {"slug": flag.slug, "level": flag.severity.value, "says": flag.sentence}
            for flag in evaluation.flags
        ],
        "to_do": [each.text for each in evaluation.verdict.to_do],
        "report": report,
        "readers": readers_edition(place / report).name,
        "document": document,
        "readers_document": readers_edition(place / document).name,
    }


def export(work: Work, tell: Steps) -> Plain:
    """Write the export of each test set as an archive, and the bundle that others verify."""
    place = Path(work.place)
    store = Path(work.arguments["store"])
    executor = Processes.one_per_core()
    for slug in work.arguments["loads"]:
        own, of_readers = workflow.exported_editions(slug, store, executor=executor, on_step=tell)
        export_place, bundle_place = (
            place / artefact_name(slug, kind) for kind in ("export", "bundle")
        )
        _write_export(own, export_place, bundle_place)
        _write_export(of_readers, readers_edition(export_place), readers_edition(bundle_place))
    return {}


def _write_export(files: Mapping[str, bytes], export_place: Path, bundle_place: Path) -> None:
    export_place.write_bytes(zip_bytes({**files, SUMS: sums(files)}))
    bundle_place.write_bytes(files["bundle.zip"])


def differ(work: Work, tell: Steps) -> Plain:
    """The difference from an earlier release, for every test set that both have."""
    place = Path(work.place)
    former = work.arguments["former_loads"]
    store = Path(work.arguments["store"])
    sides: list[tuple[Evaluation, Evaluation]] = []
    is_changed = False
    for slug, load in work.arguments["loads"].items():
        if former.get(slug, load) != load:
            compared = workflow.compare_loads(slug, store, former[slug], load, on_step=tell)
            difference = difference_data(*compared)
            sides.append((compared[0].before, compared[0].after))
            is_changed = True
            target = place / artefact_name(slug, "document")
            target.write_text(to_json(difference), encoding="utf-8")
            readers_edition(target).write_text(to_json(readers_data(difference)), encoding="utf-8")
        else:
            alike = workflow.read_evaluation(slug, store, on_step=tell)
            sides.append((alike, alike))
    if is_changed and len(sides) > 1 and set(former) == set(work.arguments["loads"]):
        before = CampaignFindings([one for one, _ in sides])
        after = CampaignFindings([other for _, other in sides])
        difference = campaign_difference_data(before, after)
        (place / WHOLE_DIFFERENCE).write_text(to_json(difference), encoding="utf-8")
    return {}


# Numbers for names


def anonymise(work: Work, tell: Steps) -> Plain:
    """The reports of a release with numbers for teams: names are gone before anything is computed."""
    place = Path(work.place)
    with open_store(Path(work.arguments["store"]), create=False) as opened:
        campaigns = [opened.load_campaign(slug) for slug in work.arguments["loads"]]
    # A team has one number in all test sets.
    teams = {each.team for campaign in campaigns for each in campaign.submissions}
    nameless = (without_names(campaign, work.arguments["salt"], teams) for campaign in campaigns)
    executor = Processes.one_per_core()
    evaluations = [
        evaluate_campaign(each, each.options, executor=executor, on_step=tell).settled(
            of_step(tell, "comparing")
        )
        for each in nameless
    ]
    _write_reports(evaluations, place, tell)
    return {
        "reports": [artefact_name(evaluation.task.slug, "report") for evaluation in evaluations]
    }


def without_names(campaign: Campaign, salt: str, teams: Collection[str] | None = None) -> Campaign:
    """The campaign as nobody's: teams and runs by numbers in an order that says nothing, no word of their files.

    Teams are those that are numbered together, of all test sets; without them the campaign's own.
    """
    numbered = teams or {each.team for each in campaign.submissions}

    def drawn(team: str) -> str:
        return hashlib.sha256(f"{salt}\0{team}".encode("utf-8", "surrogatepass")).hexdigest()

    team_called = _numbered("Team", sorted(numbered, key=drawn))
    run_called: dict[tuple[str, str | None], str] = {}
    # runs in the order of their names, by which policies take the first and the last
    for team in team_called:
        runs = {
            each.run for each in campaign.submissions if each.team == team and each.run is not None
        }
        called = _numbered("run", sorted(runs, key=natural_order))
        run_called |= {(team, run): name for run, name in called.items()}
    chosen = tuple(
        ChosenRun(team_called[each.team], run_called[each.team, each.run], _CHOSEN)
        for each in campaign.task.policies.chosen
    )
    policies = replace(campaign.task.policies, chosen=chosen)
    submissions = [
        Submission(
            team_called[each.team],
            each.codes,
            run_called.get((each.team, each.run)),
            role=each.role,
        )
        for each in campaign.submissions
    ]
    return Campaign(
        task=replace(campaign.task, note="", assumptions=(), policies=policies, about_teams=()),
        gold=replace(campaign.gold, source=None, group_file=None, slices=()),
        submissions=tuple(sorted(submissions, key=lambda each: (each.team, each.run or ""))),
        options=campaign.options,
    )


def _numbered(word: str, names: Sequence[str]) -> dict[str, str]:
    """What each is called by its number."""
    width = len(str(len(names)))
    return {name: f"{word} {number:0{width}d}" for number, name in enumerate(names, start=1)}


# Questions


def ask(work: Work, tell: Steps) -> Plain:
    """The answer to a question: the JSON of a command of the command line, and the sentences that it prints."""
    tell("asking", 0, 1)
    answer, sentences = _ANSWERS[work.arguments["question"]["about"]](
        work, work.arguments["question"]
    )
    return {"answer": json.loads(to_json(answer)), "sentences": sentences}


Answer = tuple[Plain, list[str]]


def _compared(work: Work, question: Mapping[str, str]) -> Answer:
    names = (question["first"], question["second"])
    store = Path(work.arguments["store"])
    pair, metric = workflow.compare_entries(
        question["task"],
        store,
        names,
        metric=question.get("metric"),
        executor=Processes.one_per_core(),
    )
    return pair_data(pair), list(pair_sentences(pair, metric))


def _identified(work: Work, question: Mapping[str, str]) -> Answer:
    """The readings of a published table, copied alone into a folder so that errors give its name."""
    table = work.arguments["table"]
    folder = Path(work.place)
    shutil.copyfile(
        ContentFolder(Path(work.content)).path_of(table["sha256"]), folder / table["name"]
    )
    with chdir(folder):
        identification = workflow.identify_scores(
            question["task"], [Path(table["name"])], Path(work.arguments["store"])
        )
    return identification_data(identification), names_said(identification)


def _shifted(work: Work, question: Mapping[str, str]) -> Answer:
    store = Path(work.arguments["store"])
    prevalences = [question["prevalence"]]
    return shift_data(
        *workflow.rank_shifted(question["task"], store, prevalences, metric=question.get("metric"))
    ), []


_ANSWERS: Mapping[str, Callable[[Work, Mapping[str, str]], Answer]] = {
    "compare": _compared,
    "identify": _identified,
    "whatif": _shifted,
}


STAGES: Mapping[str, Callable[[Work, Steps], Plain]] = {
    READ: read,
    EVALUATE: evaluate,
    ANONYMISE: anonymise,
    EXPORT: export,
    DIFFER: differ,
    ASK: ask,
}  # the function that does each kind of job
