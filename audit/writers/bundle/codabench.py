"""A competition for Codabench: every file of the zip that is uploaded, by the rules of the code that unpacks it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.domain import OBSERVED, ScoreKey, Task
from audit.errors import UsageError
from audit.metrics import BOTH_MACRO_F1, metric_of, phrase

LONGEST_TITLE, LONGEST_KEY, MOST_DECIMALS = 36, 36, 10  # of a column, in Codabench's tables
COMMAND = "python3 -m audit score-one $input/res --campaign $input/ref --out $output"
"""What the worker runs: split at blanks, without a shell."""

_USUAL_DECIMALS = 3
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_WORD = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][\w\-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard."""

    score: ScoreKey  # what stands in it
    key: str  # its name in scores.json
    title: str  # its heading
    decimals: int  # decimals of its scores
    sorting: str  # desc where higher is better, or else asc


def columns_of(task: Task, keys: Sequence[ScoreKey]) -> tuple[Column, ...]:
    """The columns for a task: both macro F1s, the official score, accuracy, as far as they are scored."""
    if metric_of(task.ranking_metric.metric, task.label_set).of_ranks:
        raise UsageError("A mean of ranks is no score of one submission: a leaderboard cannot rank by it.")
    wanted = dict.fromkeys([*map(ScoreKey, BOTH_MACRO_F1), task.ranking_metric, ScoreKey("accuracy")])
    decimals = _USUAL_DECIMALS if task.official_decimals is None else min(task.official_decimals, MOST_DECIMALS)
    columns = []
    for score in wanted:
        if score in keys:
            at = "" if score.prevalence == OBSERVED.name else f" {score.prevalence}"
            title = phrase(score, task.label_set)
            key = re.sub(r"\W+", "_", f"{score.metric}{at}").strip("_")[:LONGEST_KEY]
            sorting = "desc" if metric_of(score.metric, task.label_set).greater_is_better else "asc"
            columns.append(Column(score, key, title[:LONGEST_TITLE], decimals, sorting))
    return tuple(columns)


@dataclass(frozen=True, slots=True)
class Competition:
    """What is stated of a competition."""

    title: str
    image: str  # the container image, as a registry has it
    columns: tuple[Column, ...]
    ranking: int  # the place of the column that ranks
    start: str  # the times of the one phase, as YAML writes them
    end: str
    pages: Mapping[str, str]  # the titles of its pages, by their files


def competition_tree(competition: Competition) -> dict[str, Any]:
    """competition.yaml as a tree: what participants may not see is hidden, and what leaks is limited."""
    return {
        "version": 2,
        "title": competition.title,
        "image": "logo.png",
        "terms": "pages/terms.md",
        "docker_image": competition.image,
        "registration_auto_approve": False,
        "make_programs_available": False,
        "make_input_data_available": False,
        "can_participants_make_submissions_public": False,
        "enable_detailed_results": True,
        "show_detailed_results_in_submission_panel": True,
        "show_detailed_results_in_leaderboard": False,
        "pages": [{"title": title, "file": file} for file, title in competition.pages.items()],
        "tasks": [
            {
                "index": 0,
                "name": competition.title,
                "description": competition.title,
                "scoring_program": "scoring_program",
                "reference_data": "reference_data",
            }
        ],
        "solutions": [{"index": 0, "name": "Baseline", "tasks": [0], "path": "solution"}],
        "phases": [
            {
                "index": 0,
                "name": "Test",
                "description": "The test set",
                "start": competition.start,
                "end": competition.end,
                "max_submissions": 3,
                "max_submissions_per_day": 3,
                "execution_time_limit": 300,
                "hide_output": False,  # a refused file is explained there alone
                "hide_score_output": True,
                "tasks": [0],
            }
        ],
        "leaderboards": [
            {
                "title": "Results",
                "key": "main",
                "submission_rule": "Force_Last",
                "hidden": True,
                "primary_index": competition.ranking,
                "columns": [
                    {
                        "title": column.title,
                        "key": column.key,
                        "index": index,
                        "sorting": column.sorting,
                        "precision": column.decimals,
                    }
                    for index, column in enumerate(competition.columns)
                ],
            }
        ],
    }


def refusals(tree: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[str]:
    """What Codabench's unpacker would refuse: what is lacking or empty, too long, twice, or in the wrong order."""
    if missing := [name for name in _REQUIRED if not tree.get(name)]:
        yield f"there is no {missing[0]}"
        return
    paths = [tree["image"], tree["terms"], *(page["file"] for page in tree["pages"])]
    yield from (f"{path} is not there, or empty" for path in paths if not files.get(path))
    folders = [task[kind] for task in tree["tasks"] for kind in ("scoring_program", "reference_data")]
    folders += [solution["path"] for solution in tree.get("solutions", ())]
    yield from (f"{name}/ is empty" for name in folders if not any(path.startswith(f"{name}/") for path in files))
    tasks = [task["index"] for task in tree["tasks"]]
    if len(set(tasks)) < len(tasks):
        yield "two tasks have one index"
    for each in (*tree["phases"], *tree.get("solutions", ())):
        if not each.get("tasks") or not set(each["tasks"]) <= set(tasks):
            yield f"{each['name']} is of no task that there is"
    ends = [time for phase in tree["phases"] for time in (phase.get("start") or "", phase.get("end") or "")]
    if "" in ends or ends != sorted(ends):
        yield "the phases have no start and end, one behind the other"
    columns = tree["leaderboards"][0]["columns"]
    for name, longest in (("title", LONGEST_TITLE), ("key", LONGEST_KEY)):
        names = [column[name] for column in columns]
        if len(set(names)) < len(names) or not all(0 < len(each) <= longest for each in names):
            yield f"the columns need a {name} of their own with at most {longest} characters"


_REQUIRED = ("title", "image", "terms", "pages", "tasks", "phases", "leaderboards")


def yaml_text(tree: Mapping[str, Any]) -> str:
    r"""A tree as YAML: tables in lists on a line each, unless they hold such themselves.

    >>> print(yaml_text({"a": "x: y", "b": [{"c": 1, "d": True}], "e": [{"f": "no", "g": [{"h": [0]}]}]}), end="")
    a: "x: y"
    b:
      - {c: 1, d: true}
    e:
      - f: "no"
        g:
          - {h: [0]}
    """
    return "".join(f"{line}\n" for line in _yaml_lines(tree))


def _yaml_lines(tree: Mapping[str, Any]) -> Iterator[str]:
    for key, value in tree.items():
        if not _has_tables(value):
            yield f"{key}: {_scalar(value)}"
            continue
        yield f"{key}:"
        for table in value:
            if any(map(_has_tables, table.values())):
                first, *rest = _yaml_lines(table)
                yield from (f"  - {first}", *(f"    {line}" for line in rest))
            else:
                yield f"  - {{{', '.join(f'{name}: {_scalar(each)}' for name, each in table.items())}}}"


def _has_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _scalar(value: object) -> str:
    """A value as YAML has it; JSON is YAML."""
    is_plain = isinstance(value, str) and (_TIME.fullmatch(value) or _WORD.fullmatch(value))
    return str(value) if is_plain else json.dumps(value)


def competition_files(competition: Competition, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the zip, with competition.yaml and the scoring program, if Codabench would unpack them."""
    tree = competition_tree(competition)
    whole = {
        **files,
        "competition.yaml": yaml_text(tree).encode(),
        "scoring_program/metadata.yaml": f"command: {COMMAND}\n".encode(),
    }
    if problems := list(refusals(tree, whole)):
        raise UsageError(f"Codabench would refuse the competition: {'; '.join(problems)}.")
    return whole
