"""What goes to a platform and to participants before the deadline, and one submission scored there."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from audit.domain import Campaign, Evaluation, Feature, LabelSet, Options, Role, ScoreKey
from audit.errors import InputError, UsageError
from audit.resources import templates
from audit.text import quoted, visible
from audit.version import __version__
from audit.workflow.given_files import check_for_participants, key_of_folder, without_reference
from audit.workflow.written_files import check_vacant, write_folder, write_text

if TYPE_CHECKING:
    from audit.formats.align.alignment import Checked
    from audit.formats.campaign.single_file import AnswerKey
    from audit.writers.bundle.codabench import Column


def _template(name: str, **values: str) -> bytes:
    """A file of templates/platforms with @NAME@ replaced by its value."""
    content = (templates() / "platforms" / name).read_bytes()
    for key, value in {"VERSION": __version__, **values}.items():
        content = content.replace(f"@{key}@".encode(), value.encode())
    return content


def write_kit(slug: str, folder: Path, store: Path, items: Path | None = None) -> int:
    """Write what participants check their files with, and say how many items were published.

    Items are those of the published test set: gold's own list would tell which of them are scored.
    """
    from audit.formats.campaign.participants import (
        PUBLISHED,
        ids_of_units,
        kit_files,
        published_ids,
    )
    from audit.store import open_store

    check_vacant(folder, overwrite=False)
    with open_store(store, create=False) as opened:
        outline = opened.load_outline(slug)
    if outline.settings is None:
        settings = None
    else:
        settings = outline.settings.content
    task = outline.task
    gold = outline.gold
    if items is None:
        ids = None
    else:
        ids = published_ids(items, ids_of_units(gold, settings, task.part))
    files = kit_files(gold, settings, task.part, task.policies, ids)
    title = visible(task.title, 200)
    files |= {name: _template(f"kit/{name}", TITLE=title) for name in ("README.md", "action.yml")}
    write_folder(folder, files)
    if ids is None:
        return files[PUBLISHED].count(b"\n") - 1
    return len(ids)


# One submission


@dataclass(frozen=True, eq=False)
class ScoredOne:
    """One submission, and all that its team may know of it."""

    checked: "Checked"  # what was found in it, in words for participants
    label_set: LabelSet
    columns: "tuple[Column, ...]" = ()  # the leaderboard's
    ranking: ScoreKey | None = None  # the score that ranks
    scores: Mapping[str, float] = field(default_factory=dict)
    """Rounded, by the columns' keys; those that are defined."""
    why: str = ""  # why it has no place in the ranking; empty where it has
    left_aside: tuple[str, ...] = ()  # the tables of task.toml that are of other teams

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The scores with their headings, the one that ranks first."""
        ordered = sorted(self.columns, key=lambda column: column.score != self.ranking)
        return [
            (
                column.title,
                f"{self.scores[column.key]:.{column.decimals}f}"
                if column.key in self.scores
                else "undefined",
            )
            for column in ordered
        ]


# the share of the items that a file has to answer: scores of few answers tell their labels
FEWEST = 0.5


def score_one(
    path: Path, reference: Path, out: Path, part: str | None = None, *, fewest: float = FEWEST
) -> ScoredOne:
    """Score one submission, a file or the folder it was unpacked to, and write scores.json and a page for its team.

    Nothing is written or said that tells of gold more than the scores do. Without a score that ranks there is no
    scores.json: a platform might rank the empty place first.
    """
    from audit.formats.campaign.participants import OF_TEAMS
    from audit.formats.settings.parsing import parse_settings
    from audit.writers.html import render

    with without_reference():
        against = key_of_folder(reference, part)
        scored = _scored(path, against, fewest)
    counts = scored.checked.counts(scored.label_set, None)
    labels = counts.pop("labels", {})
    page = {
        "heading": "Not scored" if scored.why else "Scored",
        "why": scored.why,
        "tables": [
            ("Scores", scored.rows),
            ("Items", list(counts.items())),
            ("Labels", list(labels.items())),
        ],
        "issues": scored.checked.issues,
    }
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "detailed_results.html", render("participants.html.j2", page))
    if not scored.why:
        write_text(out / "scores.json", json.dumps(dict(scored.scores), allow_nan=False))
    if against.settings is None:
        stated = set()
    else:
        stated = parse_settings(against.settings, part).toml.model_fields_set
    return replace(scored, left_aside=tuple(name for name in OF_TEAMS if name in stated))


def _scored(path: Path, against: "AnswerKey", fewest: float) -> ScoredOne:
    """A submission checked as a file of a campaign that has no other, and its scores if it is accepted."""
    from audit.evaluation import score_campaign
    from audit.formats.align.alignment import Checked
    from audit.formats.campaign.campaigns import read_campaign
    from audit.formats.campaign.participants import for_participants, handed_in, reference_files
    from audit.writers.bundle.codabench import columns_of

    labels = against.gold.label_set
    policies = against.policies_in_force
    # what was published and is not scored is told from it, not from gold
    if against.published is not None:
        policies = replace(policies, extra="ignore")
    try:
        ending, data = handed_in(path)
    except InputError as error:
        found = Checked(path.name, None, issues=error.issues)
        checked = for_participants(found, against.gold, of_published=against.published is not None)
        return ScoredOne(checked, labels, why="The submission has to be one file of predictions.")
    with TemporaryDirectory() as folder:
        root = Path(folder)
        file = Path(folder, "submissions", f"submission{ending}")
        files = reference_files(against.gold, against.settings, against.part, policies)
        for name, content in {**files, f"submissions/{file.name}": data}.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(content)
        checked = check_for_participants(file, against)
        if not checked.is_accepted:
            return ScoredOne(checked, labels, why="The file was not accepted.")
        if labels.supports(Feature.ANSWERS) and _share_answered(checked, labels) < fewest:
            return ScoredOne(
                checked, labels, why=f"Fewer than {fewest:.0%} of the items have an answer."
            )
        try:
            campaign = read_campaign(root)
        except InputError as error:
            if all(issue.file.startswith("submissions/") for issue in error.issues):
                return ScoredOne(checked, labels, why="No answer in the file can be scored.")
            raise
    evaluation = score_campaign(campaign, Options(certainty=False))
    columns = columns_of(evaluation.task, evaluation.keys)
    ranking = evaluation.task.ranking_metric
    values = {column: float(evaluation.scores_of(column.score)[0]) for column in columns}
    scores = {
        column.key: round(value, column.decimals)
        for column, value in values.items()
        if math.isfinite(value)
    }
    is_ranked = any(column.score == ranking and column.key in scores for column in columns)
    if is_ranked:
        why = ""
    else:
        why = "The score that ranks is undefined for this file."
    return ScoredOne(checked, labels, columns, ranking, scores, why)


def _share_answered(checked: "Checked", labels: LabelSet) -> float:
    """The share of the items with a label of the label set, for a file that is accepted."""
    codes = checked.codes
    if codes is None:
        return 0.0
    return float((codes < len(labels)).mean())


# A competition

_MISSING = {"wrong": "counts as wrong", "drop": "is left out", "reject": "makes the file refused"}


def write_competition(  # noqa: PLR0913 - what organisers state of a competition
    slug: str,
    folder: Path,
    store: Path,
    *,
    image: str,
    start: str,
    end: str,
    items: Path | None = None,
    solution: Path | None = None,
) -> Path:
    """Write a competition for Codabench: the zip to upload, the container's file, and what the baseline scores.

    The zip is tried before it is written: its own reference data score its own solution.
    """
    from audit.evaluation import score_campaign
    from audit.formats.campaign.participants import (
        PUBLISHED,
        ids_of_units,
        published_csv,
        published_ids,
        reference_files,
        refuse_unknown_extras,
    )
    from audit.formats.files.tree import read_alone
    from audit.store import open_store
    from audit.writers.bundle.archive import zip_bytes
    from audit.writers.bundle.codabench import columns_of, refusals

    check_vacant(folder, overwrite=False)
    with open_store(store, create=False) as opened:
        campaign = opened.load_campaign(slug)
    task = campaign.task
    gold = campaign.gold
    if campaign.settings is None:
        settings = None
    else:
        settings = campaign.settings.content
    files = reference_files(gold, settings, task.part, task.policies)
    if items is None:
        refuse_unknown_extras(task.policies)
    else:
        files[PUBLISHED] = published_csv(
            gold, published_ids(items, ids_of_units(gold, settings, task.part))
        )
    evaluation = score_campaign(campaign, Options(certainty=False))
    columns = columns_of(task, evaluation.keys)
    if solution is None:
        name, answers = _solution(campaign, evaluation)
    else:
        name = solution.name
        answers = read_alone(solution)
    with TemporaryDirectory() as trial:
        for path, content in {**files, f"solution-{name}": answers}.items():
            Path(trial, path).write_bytes(content)
        try:
            scored = score_one(Path(trial, f"solution-{name}"), Path(trial), Path(trial))
        except UsageError as error:  # what participants are not told
            raise error.__cause__ or error from None
    if scored.why:
        found = "; ".join(issue.found for issue in scored.checked.issues)
        raise UsageError(
            f"The competition does not score its own solution, {quoted(name)}: {scored.why} {found}. Name a file "
            "that a load accepts: --solution FILE."
        )
    ranking = [column.score for column in columns].index(task.ranking_metric)
    title = visible(task.title, 200)
    as_yaml = {
        "TITLE": json.dumps(title),  # JSON is YAML
        "IMAGE": json.dumps(image),
        "START": start,
        "END": end,
        "PRIMARY": str(ranking),
        "YAML_COLUMNS": "\n".join(
            f"      - {{title: {json.dumps(column.title)}, key: {column.key}, index: {index}, "
            f"sorting: {column.sorting}, precision: {column.decimals}}}"
            for index, column in enumerate(columns)
        ),
    }
    as_text = {
        "TITLE": escape(title),
        "IMAGE": image,
        "LABELS": "\n".join(f"- {escape(visible(label, 200))}" for label in task.label_set),
        "MISSING": _MISSING[task.policies.missing],
        "RANKING": columns[ranking].title,
        "COLUMNS": "\n".join(f"- {column.title}" for column in columns),
        "SCORES": "\n".join(f"       {score}  {heading}" for heading, score in scored.rows),
    }
    bundle = {
        **{f"reference_data/{path}": content for path, content in files.items()},
        f"solution/{name}": answers,
        "competition.yaml": _template("codabench/competition.yaml", **as_yaml),
        "scoring_program/metadata.yaml": _template("codabench/metadata.yaml"),
        "logo.png": _template("codabench/logo.png"),
        "pages/overview.md": _template("codabench/overview.md", **as_text),
        "pages/terms.md": _template("codabench/terms.md"),
    }
    if problems := list(refusals(columns, start, end)):
        raise UsageError(f"Codabench would refuse the competition: {'; '.join(problems)}.")
    beside = {"README.txt": "README.txt", "image/Dockerfile": "Dockerfile"}
    texts = {
        path: _template(f"codabench/{template}", **as_text) for path, template in beside.items()
    }
    return write_folder(folder, {"bundle.zip": zip_bytes(bundle), **texts})


def _solution(campaign: Campaign, evaluation: Evaluation) -> tuple[str, bytes]:
    """The best baseline that was handed in; or else the first label everywhere, which tells nothing of gold."""
    from audit.formats.campaign.participants import constant_answer

    # maybe one file with all systems
    if campaign.gold.source is None:
        of_gold = None
    else:
        of_gold = campaign.gold.source.path
    sources = {
        each.source.path: each.source for each in campaign.submissions if each.source is not None
    }
    for team in evaluation.order(evaluation.task.ranking_metric):
        entry = evaluation.entries[team]
        if entry.role is Role.BASELINE and entry.path in sources and entry.path != of_gold:
            return PurePosixPath(entry.path).name, sources[entry.path].content
    if campaign.settings is None:
        settings = None
    else:
        settings = campaign.settings.content
    return "constant.csv", constant_answer(campaign.gold, settings, campaign.task.part)
