"""Writes the pages of the docs that the program knows: commands, settings, metrics, readings, flags, schemas.

Run `python docs/generate.py` after a change to a registry or a command; a test holds the pages up to date.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Container
from functools import cache
from inspect import get_annotations
from math import inf
from pathlib import Path
from typing import Any

import tomlkit
import typer.main
from pydantic.fields import FieldInfo

from audit.cli import app
from audit.findings.catalogue import FLAG_KINDS
from audit.findings.winner_changes import RULE_STATES
from audit.formats.settings.task_toml import (
    TABLES,
    AnswerSettings,
    FileSettings,
    GoldSettings,
    TaskToml,
)
from audit.metrics import (
    FAMILIES,
    GAP_FORMULA,
    ITEM_SCORE_METRICS,
    METRICS,
    PRESETS,
    SCALE_METRICS,
    STANDARD,
    UNIT_METRICS,
    Metric,
    Preset,
)
from audit.service.database import open_database
from audit.service.files import DataFolder
from audit.web.access import Service
from audit.web.app import create_app
from audit.writers.bundle.archive import schema_text

FOLDER = Path(__file__).parent
_GENERATED = "<!-- Written by docs/generate.py. -->"
_NUMERALS = ("PI", "PII", "PIII", "PIV", "PV")


def cli_page() -> str:
    """Every command with its parameters, from the commands themselves; what many of them take stands once, above."""
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    intro = (
        "`audit COMMAND --help` says the same in the terminal. Data goes to standard output, complaints and progress "
        "to standard error.\n\nExit codes: 0 done, 1 bad input, or a store or file that cannot be used, 2 wrong usage, "
        "3 `--fail-on` fired, 130 interrupted."
    )
    uses = Counter(
        (_parameter(item), item.help)
        for command in commands.values()
        for item in command.params
        if item.name != "help"
    )
    common = [parameter for parameter, n_commands in uses.items() if n_commands >= _COMMON]
    shared = f"## What many commands take\n\n{_parameters(common)}".removesuffix("\n")
    parts = [_command(name, command, common) for name, command in commands.items()]
    return _page("Commands", intro, [shared, *parts])


_COMMON = 3
"""How many commands have to take a parameter, with the same words, for it to stand above them all."""


def _command(name: str, command: Any, common: Container[tuple[str, str]]) -> str:  # noqa: ANN401 - Typer's commands have no public type
    parameters = [(_parameter(item), item.help) for item in command.params if item.name != "help"]
    own = _parameters([each for each in parameters if each not in common])
    as_others = ", ".join(name for name, help_ in parameters if (name, help_) in common)
    also = f"Also: {as_others}.\n\n" if as_others else ""
    return f"## `audit {name}`\n\n{command.help}\n\n{own}{also}{command.epilog}\n"


def _parameters(parameters: list[tuple[str, str]]) -> str:
    return "".join(f"- {name}: {meaning}\n" for name, meaning in parameters) + (
        "\n" if parameters else ""
    )


def _parameter(item: Any) -> str:  # noqa: ANN401 - likewise
    if item.param_type_name == "argument":
        return f"`{item.metavar}`"
    return ", ".join(f"`{option}`" for option in (*item.opts, *item.secondary_opts))


def metrics_page() -> str:
    """The registry of metrics."""
    gap = (
        "## The gap Δ\n\nF1 of averages less macro-averaged F1, as a sum over pairs of classes (Opitz & Burst 2019, "
        f"equation 4).\n\n$$ {GAP_FORMULA} $$\n"
    )
    intro = (
        "Averages run over the k classes in gold, without the [rest "
        "class](kinds.md#a-rest-class-that-joins-no-average) of a task that has one; in an average, P, R and F1"
        " are 0 where their denominator is 0. An unanswered item is wrong and belongs to no class's bias (how "
        "often a team predicts a class). `~` stands for balanced classes (every class has the same mass), `@name` a"
        " prevalence that task.toml names. Scores are from 0 to 1, higher is better, where nothing else is "
        "said.\n\n`macro_f1` does not exist: it is two metrics, `averaged_f1` and `f1_of_averages`. PI–PV are the"
        " properties of Opitz 2024, section 3: PI monotonic (as observed), PII class-sensitive, PIII a mean over "
        "classes, PIV prevalence-invariant, PV chance-corrected.\n\nThe first thirteen stand in every evaluation."
        " Those behind “Only where asked for” are scored where `official_metric`, `--metric`, `compare` or "
        "`metrics=…` names one; they do not vote, and no finding compares "
        "their winners; `audit metrics` has their formulas, sources and chance levels. Means of recalls, and "
        "AUC, are the same at every class distribution."
    )
    families = ", ".join(f"`{family.stem}{family.symbol}{family.brackets}`" for family in FAMILIES)
    further = (
        "## Only where asked for\n\nThree families have a number in their names, with at most three decimals: "
        f"{families}. β is from 0.01 to 100, p from −100 to 100; those below are examples. Recalls weighted by "
        "shares of your own are `accuracy@name`, at a prevalence that task.toml names.\n"
    )
    own = [_metric(metric) for metric in METRICS.values() if not metric.standard]
    of_items = (
        "## Where files give scores of single items\n\nWith [scores that are kept]"
        "(kinds.md#labels-and-scores-beside-them), of a label or of several. They look at scores and gold alone; a "
        "submission without a score for every item has none of them. Findings compare their winners; they do not "
        "vote.\n"
    )
    kept = [of_items, *map(_metric, ITEM_SCORE_METRICS.values())]
    of_scales = (
        "## Where labels are on a scale\n\nWith [`scale`](kinds.md#labels-on-a-scale) beside `labels`. v is the "
        "value of a label. Any score of all classes is also that of the scale cut in two: `kappa[0|123]`, "
        "`averaged_f1[low|middle,high]`. They do not vote, and no finding compares their winners.\n"
    )
    scales = [of_scales, *map(_metric, SCALE_METRICS.values())]
    of_units = (
        '## Means over units with sets\n\nWith [`kind = "sets"`](kinds.md#several-labels-and-spans), where they are '
        "asked for. `example_f1(empty=zero)`, `empty=dropped`, `gold-empty-dropped` and `either-empty-dropped` are "
        "other rules for units with empty sets; `unknown=dropped` leaves out the things of labels that gold has "
        "nowhere, also in `micro_f1(unknown=dropped)`. A unit that a team leaves out is 0. Units are drawn, or the "
        "groups that they are in.\n"
    )
    units = [of_units, *map(_metric, UNIT_METRICS.values())]
    return _page(
        "Metrics", intro, [*map(_metric, STANDARD), gap, further, *own, *kept, *scales, *units]
    )


def _metric(metric: Metric) -> str:
    usual = (metric.lower, metric.upper, metric.greater_is_better) == (0, 1, True)
    upper = "length of the scale" if metric.upper == inf else f"{metric.upper:g}"
    range_ = [] if usual else [f"range [{metric.lower:g}, {upper}], {metric.scale.words}"]
    facts = " · ".join([*range_, f"chance: {metric.baseline}", metric.source, *_properties(metric)])
    forms = " or ".join(f"`{form}`" for form in metric.forms)
    if not metric.standard:
        return "\n\n".join([f"## {metric.label}", forms, metric.explanation, *range_]) + "\n"
    return f"## {metric.label}\n\n{forms}\n\n{metric.explanation}\n\n$$ {metric.formula} $$\n\n{facts}\n"


def _properties(metric: Metric) -> list[str]:
    """Those that it has, has after calibration, and has not."""
    numerals: dict[str, list[str]] = {}
    if metric.properties is None:
        return []
    for numeral, (name, mark) in zip(_NUMERALS, vars(metric.properties).items(), strict=True):
        numerals.setdefault(mark.words + _printed(metric, name), []).append(numeral)
    spans = {
        words: "PI–PV" if len(names) == len(_NUMERALS) else ", ".join(names)
        for words, names in numerals.items()
    }
    return [f"{span}: {words}" for words, span in spans.items()]


def _printed(metric: Metric, property_: str) -> str:
    return "".join(
        f" (Opitz 2024, table 5, prints {mark.words})"
        for name, mark in metric.printed
        if name == property_
    )


def readings_page() -> str:
    """What a reading decides, and the presets of known scorers."""
    return _page("Readings", _READINGS, [_PRESETS_HEAD + "".join(map(_preset, PRESETS.values()))])


_READINGS = """\
A *reading* fixes every choice behind a macro score that its name leaves open. It is written as the metric's slug, in
parentheses the choices that are not the default, the named classes, and the prevalence:

```text
averaged_f1                                      the default: what this program scores by
averaged_f1(union-per-team)                      scikit-learn's average="macro"
averaged_f1(declared)[negative,positive]         over two classes
averaged_f1(all-but)[Other]~                     over all classes in gold but Other, with balanced classes
f1_of_averages(declared,undefined=dropped,missing=dropped)
```

The choices, the default of each first:

- **class set**: the classes in gold · `declared`: those of the label set · `union`: in gold or predicted by any team,
  the same for all · `union-per-team`: in gold or predicted by the team itself. A label outside the label set is a class
  of a union; an empty answer is not.
- **named classes**: all of the class set, without the task's rest class · `[a,b]`: these only · `(all-but)[a]`: all but
  these and the rest class · `with-rest`: the rest class too.
- **undefined class score**: counts as 0 · `undefined=1` · `undefined=dropped` from the average · `undefined=whole`:
  then the score is undefined. Recall is undefined for a class without gold, precision for one that is never predicted.
- **undefined class F1**: where the class is neither in gold nor predicted · `f1-undefined=one-sided`: where precision
  or recall is undefined · `f1-undefined=none-correct`: where no item of the class is correct.
- **missing items**: wrong · `missing=dropped`: left out of this submission's scores.
- **labels outside a scale**: no answer, as far from gold as can be · `outside=dropped`: left out of this submission's
  scores · `outside=clipped`: the end of the scale that they are beyond.
- **broken tags** of spans: as `repair` in task.toml says · `repair=conll` · `repair=strict`, for published scores.
- **prevalence**: observed · `~` balanced · `@name` as task.toml names it.

A [score made of several](kinds.md#a-score-made-of-several) is written `mean(averaged_f1,accuracy)`.

A reading may be the official metric, `--metric` or one of `compare`; ranking, certainty, findings and export follow it.
Its intervals hold given the class set; a class that fewer than five answers put into a team's average has a mark and
no interval. By `union` nobody is ranked: a score would depend on who else took part. By `union-per-team`, labels
outside the label set have to be declared.

`audit readings TASK` scores every team under every reading of macro F1: who wins by which, and what is the smallest
change that has another winner. Readings that give every team the same score are one row.

## Which metric did somebody publish?

`audit identify TASK TABLE…` asks which reading published numbers are of; where `[published]` in
[task.toml](task-toml.md) names the tables, every report says it. The table is a CSV file (also with tabs, semicolons or
vertical bars) with a heading row, a column of names, and columns of percentages or fractions with any number of digits,
rounded or cut off. Names are matched as they stand, then without case, blanks and punctuation; what is nobody’s name
may be that of a file.

- Every metric, of each class too, is tried under every reading, at the printed precision; scores of single items where
  they are kept. A reading fits only if it gives every score. With many readings a few numbers always fit one, so the
  answer says how many would fit by chance (at most, with a probability of 95%); where chance explains as many,
  nothing is said of the heading.
- Means are tried, too: the official one, one that a heading names as `mean(accuracy,averaged_f1)`, and under *Overall*,
  *Average* or *Final* those of the scores that other headings name.
- A column *Rank* or *Place* is held against the scores: are the ranks in the order of a column, a mean of columns, a
  mean of ranks, or a reading? With few teams some order always fits; then they only *could* be by it. *Avg. rank* is
  looked for as a mean of ranks.

## Presets

A preset is the reading that a known scorer computes. The tests hold each one against its scorer, or where that does not
install, against the rule in its source, on 10,000 random and degenerate label vectors, wherever the scorer has a score
at all. `audit readings` has the rule of each in words, and who uses it."""


_PRESETS_HEAD = "| scorer | computes |\n| --- | --- |\n"


def _preset(preset: Preset) -> str:
    return f"| [{preset.title}]({preset.source.partition(', ')[0]}) | `{preset.signature}` |\n"


def flags_page() -> str:
    """The registry of flags."""
    intro = (
        "Flags are findings, each with the most that it can change. They never change the exit code, unless "
        "`--fail-on winner` or `--fail-on order` asks. One of two winners says whether the test set shows the change: "
        "iff each of them is significantly ahead of the other by its own score."
    )
    said = {
        kind: kind.explanation.removesuffix(RULE_STATES).strip() for kind in FLAG_KINDS.values()
    }
    parts = [
        f"## {kind.title}\n\n`{kind.slug}` · {kind.severity.label}\n\n{text}\n"
        for kind, text in said.items()
    ]
    return _page("Flags", intro, parts)


def api_schema() -> str:
    """The service's HTTP interface as OpenAPI."""
    return json.dumps(_interface(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


@cache
def _interface() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(Path(folder))
        found = create_app(Service(database, DataFolder(Path(folder)))).openapi()
        database.close()
    return {**found, "info": {**found["info"], "version": "1"}}


def settings_page() -> str:
    """Every setting of task.toml, from the schema that reads the file."""
    top = TaskToml.model_fields
    layout = {
        **FileSettings.model_fields,
        **AnswerSettings.model_fields,
        **GoldSettings.model_fields,
    }
    names = {
        name: field for name, field in top.items() if name not in TABLES and field.default == {}
    }
    of_the_task = {name: field for name, field in top.items() if name not in {*TABLES, *names}}
    of_tables = [_of_table(name, title) for name, title in _TITLES.items()]
    where, others = of_tables[:2], of_tables[2:]
    how_read = f"## How a file is read\n\n{_HOW_READ}\n\n{_settings_table(layout)}"
    own = f"## Names, roles and spellings\n\n{_NAMES}\n\n{_settings_table(names)}"
    task = f"## The task\n\n{_settings_table(of_the_task)}"
    parts = [_WITHOUT_SETTINGS, task, *where, how_read, *others, own, _SEVERAL_TEST_SETS]
    return _page("task.toml: every setting", _SETTINGS, parts)


def _of_table(name: str, title: str) -> str:
    """The settings that a table of task.toml has beside those of all files."""
    fields = {key: TABLES[name].model_fields[key] for key in get_annotations(TABLES[name])}
    heading = f"[[{name}]]" if name == "chosen" else f"[{name}]"
    if name == "columns":
        heading = "[columns.NAME]"
    return f"## {heading}: {title}\n\n{_settings_table(fields)}"


def _settings_table(fields: dict[str, FieldInfo]) -> str:
    rows = "".join(_setting_row(name, field) for name, field in fields.items())
    return (
        f"| setting | meaning | where it is missing | example |\n| --- | --- | --- | --- |\n{rows}"
    )


def _setting_row(name: str, field: FieldInfo) -> str:
    extra: Any = field.json_schema_extra
    examples = [
        line for example in field.examples or [] for line in _toml_lines(name, example, field)
    ]
    shown = "<br>".join(f"`{line}`" for line in examples)
    return f"| `{name}` | {field.description} | {extra['missing']} | {shown} |\n"


def _toml_lines(name: str, example: Any, field: FieldInfo) -> list[str]:  # noqa: ANN401 - a value of TOML
    """An example as task.toml writes it; where a table has names of the organiser's own, below its heading."""
    if isinstance(example, dict) and field.default != {}:
        inline = tomlkit.inline_table()
        inline.update(example)
        example = inline
    return tomlkit.dumps({name: example}).strip().splitlines()


_SETTINGS = """\
`task.toml` at the top of a campaign's folder says what is classified, how it is scored, where the files are and how to
read them. Every setting may be missing: then it is recognised from the files, and the report lists it as an assumption.
Where two readings are possible, the error shows both, each with the line that decides. `audit init FOLDER` drafts it
beside `files.csv`, which says [which file is what](recipes.md#which-file-is-what-and-whose-filescsv);
[your files](recipes.md) has whole campaigns.

A misspelt setting is an error. Labels, ids and names are text and stand in quotes: `labels = ["0", "1"]`. Paths are
relative to the folder, with forward slashes, and stay inside it, links resolved."""
_WITHOUT_SETTINGS = """\
## Without a task.toml

| what | where |
| --- | --- |
| gold | the one file `gold.*` at the top |
| submissions | `submissions/TEAM.ext`, or `submissions/TEAM/RUN.ext` where a team has several runs |
| a wide file | the only data file of a folder without `submissions/`; its header names gold, the rest are systems |
| label set | the labels of gold, sorted; of those that differ only in case or look, `labels` has to declare each |

Files that no rule claims are listed as ignored; documentation, pictures, programs, `*.xml`, `*.yaml`, Office's lock
files and names that begin with a dot or two underscores always are.
"""
_HOW_READ = """\
These settings stand in `[gold]`, in `[submissions]`, or in both; neither inherits from the other. They hold for every
submission, so state only what all share. `group`, `slices` and `stratified` are of `[gold]` and `[wide]`. Ids and
labels are compared as text, exactly as they stand: `1` is not `1.0`, and `" yes"` not `"yes"`
([which text a cell is](recipes.md#which-text-a-cell-is))."""
_TITLES = {
    "gold": "the gold file",
    "submissions": "where they are",
    "wide": "gold and systems in one file",
    "sets": "several labels, or spans",
    "official": "a score made of several",
    "policies": "what is done where the files leave something open",
    "chosen": "a run that counts whatever the policy says",
    "published": "scores to be checked",
    "resampling": "options of the evaluation",
    "columns": "what is known of a column of a scorer’s numbers",
}
_NAMES = "Tables whose keys are your own: names, labels or globs."
_SEVERAL_TEST_SETS = """\
## [subtask.NAME]: several test sets

Subtasks, languages, tracks or years. What stands at the top of the file holds for all; a subtask states what it has
of its own, with every setting but `slug`. Each is a task, `SLUG-NAME` in the store; they are loaded all or none.
[A whole file](recipes.md#several-runs-several-test-sets).
"""


def _page(title: str, intro: str, parts: list[str]) -> str:
    return f"# {title}\n\n{_GENERATED}\n\n{intro}\n\n" + "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "service-api.json": api_schema,
    "cli.md": cli_page,
    "task-toml.md": settings_page,
    "metrics.md": metrics_page,
    "readings.md": readings_page,
    "flags.md": flags_page,
    "evaluation.schema.json": schema_text,
}
"""File name → what writes it."""

if __name__ == "__main__":
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
