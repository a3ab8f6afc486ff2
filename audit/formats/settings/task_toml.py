"""Every setting of task.toml, once: what it means, what it may be, and which of them do not go together.

The reading of the file, its error messages and docs/task-toml.md follow from these models.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from audit.domain import (
    OVERALL_RULES,
    POLICY_KINDS,
    STATED_KINDS,
    STRICT_POLICIES,
    Feature,
    Kind,
    Role,
    labels_on_scale,
    numerals,
)
from audit.domain.tags import are_tags
from audit.domain.task import MOST_SEED
from audit.errors import MetricNameError
from audit.formats.settings import values
from audit.formats.settings.answers import (
    CLASH_EXPECTED,
    FORMS,
    IN_ORDER,
    REPAIRS,
    TRIPLES,
    Combinations,
    Greatest,
    Indicators,
    Rounding,
    Rule,
    Spelling,
    Threshold,
)
from audit.formats.settings.layout import (
    FORMATS,
    GroupFile,
    Separator,
    StatedColumns,
    StatedLayout,
    toml_list,
    toml_text,
)
from audit.formats.settings.values import expecting, one_of, whole
from audit.text import decimal_text, listed, plural, quoted

# the place of a setting, what was found there, and what was expected
Contradiction = tuple[tuple[str, ...], str, str]

_BESIDE = "or label, score and above, where files give labels and scores of one of two labels"
_OF_SCORES = ("threshold", "above", "below", "abstain")
_OF_SOME_FORMATS = frozenset(setting for kind in FORMATS.values() for setting in kind.settings)
# label, score and above mean one thing in tables of answers, another in [wide]: these add them themselves
_OF_LAYOUT = frozenset(StatedLayout.__dataclass_fields__) - {"label", "score", "above"}
_TWO = 2  # labels, where a score speaks for one of them


def setting(meaning: str, missing: str, example: Any, *others: Any, default: Any = None) -> Any:  # noqa: ANN401 - of any type
    """A setting: its meaning, what holds where it is missing, and values that it may have."""
    return Field(
        default,
        description=meaning,
        examples=[example, *others],
        json_schema_extra={"missing": missing},
    )


_names = partial(setting, default={})  # a table whose keys are the organiser's own


class Table(BaseModel):
    """A table of task.toml; settings that it does not have are refused."""

    # Built when first used, which most are not: what validates them is a part of what validates the whole file.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @property
    def stated(self) -> dict[str, Any]:
        """The settings that the file states."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class FileSettings(Table):
    """How a file is laid out."""

    format: Annotated[str, one_of(*FORMATS)] | None = setting(
        f"{listed([f'`{name}`' for name in FORMATS], 'or')}: `jsonl` has one JSON object per line, `lines` one label, "
        "`sequences` the tags of a sequence, `tokens` a token and its tag",
        "recognised",
        "delimited",
    )
    delimiter: values.Delimiter | None = setting(
        "`comma`, `tab`, `semicolon`, `blanks` (runs of blanks), or a single character",
        "the one that gives every line the same columns, and known ids and labels",
        "tab",
    )
    header: values.Truth | None = setting(
        "whether the first line names the columns",
        "recognised by names, or as it holds no item",
        example=True,
    )
    skip: Annotated[int, whole(1_000_000)] | None = setting(
        "lines, or rows of a sheet, to leave out above the header or the first item", "0", 2
    )
    comment: values.CharacterOrNone | None = setting(
        'lines that begin with this character are left out; `""` for none',
        "leading lines with `#` are left out, unless one could be an item",
        "%",
    )
    quote: values.CharacterOrNone | None = setting(
        'the character around cells that contain the delimiter; `""` for none',
        '`"`, none between runs of blanks; to be said where a cell in quotes goes over lines that could be items',
        "'",
    )
    encoding: values.Encoding | None = setting(
        "a text encoding; a byte order mark goes before it",
        "UTF-8, or UTF-16 with a mark",
        "latin-1",
    )
    sheet: values.Sheet | None = setting(
        "a workbook's sheet: its name, or its number from 1",
        "the only one that gives ids and labels",
        "Answers",
    )
    records: values.Place | None = setting(
        'where in a JSON value the items are: names joined by dots; `""` for the value itself',
        "the only place that gives ids and labels",
        "data.predictions",
    )
    id: values.ColumnsOrFalse | None = setting(
        "the column of item ids: its name, its number from 1, or the JSON field; a list of several whose cells are "
        "together the id; `false` where items are known by position",
        "by its name, or because its cells are the gold ids",
        ["question", "answer"],
    )

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:  # noqa: ARG002 - as those of answers
        """Settings that the named format does not have."""
        stated = self.stated
        name = self.format
        if name is None:
            return
        grouping = stated.get("group")
        for key in stated:
            is_none = (key, stated[key]) in (("id", False), ("comment", ""), ("quote", ""))
            # as every format can be
            is_grouped_otherwise = key == "group" and not isinstance(grouping, tuple)
            if (
                key in _OF_SOME_FORMATS
                and key not in FORMATS[name].settings
                and not is_none | is_grouped_otherwise
            ):
                having = [quoted(other) for other, kind in FORMATS.items() if key in kind.settings]
                if key == "group":
                    other_way = '; or { path = "…" }, a second file'
                else:
                    other_way = ""
                expected = f"one of the formats {listed(having, 'or')}{other_way}"
                yield (key,), f"{key} beside format = {quoted(name)}", expected
        if isinstance(grouping, Separator):
            # Blank lines of tokens end sequences, and so separate no groups.
            if grouping.text:
                separable = ["sequences", "tokens"]
            else:
                separable = ["sequences"]
            if name not in separable:
                shown = f"group = {{ between = {toml_text(grouping.text)} }} beside format = {quoted(name)}"
                yield ("group",), shown, f"the format {listed(list(map(quoted, separable)), 'or')}"

    def stated_layout(self, toml: "TaskToml") -> StatedLayout:
        """What is stated of the file's layout, apart from its labels and scores."""
        own = {name: value for name, value in self.stated.items() if name in _OF_LAYOUT}
        return StatedLayout(**own, spelling=toml.spelling, id_pattern=toml.id_pattern)


class GoldSettings(Table):
    """What is said of a test set where gold is."""

    group: values.Group | None = setting(
        "which items belong together (document, author, question): a column or a list of columns; a second file, "
        '`{ path = "test.docs" }`, with a line for each sequence or item; lines between documents, '
        '`{ between = "-DOCSTART-" }`, blank ones as `""`; `false` where items are independent. `unit` beside `path` '
        "and `between` says the word for a group",
        "the tokens of a sequence; elsewhere none, and a column that looks like groups is named",
        "author",
        {"path": "test.threads", "unit": "thread"},
    )
    slices: values.Slices | None = setting(
        "at most 5 columns whose 2 to 30 values cut the test set into parts",
        "it is not cut",
        ["language"],
    )
    weight: values.Column | None = setting(
        'with `kind = "scores"`: the column of the list of items that says what each counts',
        "all count alike",
        "weight",
    )
    stratified: values.Truth = setting(
        "the class counts were fixed by design, and intervals take them as given",
        "they are random",
        example=True,
        default=False,
    )


class AnswerSettings(FileSettings):
    """How cells of a file become labels."""

    label: values.Label | None = setting(
        "the column of labels: its name, its number from 1, or the JSON field (`label[0]`: a list's first entry); "
        'several, which `[combinations]` makes one label; or columns of scores, `{ greatest = ["no", "yes"] }`',
        "by its name or its cells; to be said where two columns could be it",
        "class",
    )
    score: values.SubmissionScores | None = setting(
        "in place of `label`: a column of scores, which `threshold` makes labels; beside `label` and `above` alone: "
        "[scores that are kept](kinds.md#labels-and-scores-beside-them). In `[submissions]` also the column by team, "
        "run or path, [as globs](kinds.md#scores-that-are-called-otherwise-in-other-files)",
        "the file holds labels",
        "probability",
        {"SVM": "p(spam)", "*": "score"},
    )
    threshold: values.Number | None = setting(
        "with `score`: from this number on, itself included, an item has the label `above`, under it `below`",
        "needed beside `score` without `label`",
        0.5,
    )
    above: values.ScoredLabels | None = setting(
        "the label that a higher score speaks for; where `score` has a column for each of several labels, these labels",
        "needed beside `score`",
        "spam",
        ["anger", "fear", "joy"],
    )
    below: values.Text | None = setting(
        "the label of scores under the threshold", "needed beside `threshold`", "ham"
    )
    abstain: values.Abstention | None = setting(
        "with `score`: the band of scores, or the value, that is no answer",
        "every score is an answer",
        [0.45, 0.55],
    )

    @property
    def label_columns(self) -> tuple[str | int, ...]:
        """The columns that make the label."""
        if isinstance(self.label, Greatest):
            return self.label.columns
        return self.label or ()

    @property
    def is_beside_labels(self) -> bool:
        """Whether scores stand beside labels, and are kept as they are."""
        stated = self.model_fields_set
        return {"label", "score", "above"} <= stated and not {
            "threshold",
            "below",
            "abstain",
        } & stated

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Those of the format; scores without a threshold, a threshold without scores, columns without their sense."""
        yield from super().contradictions(toml)
        stated = self.stated
        if self.is_beside_labels:
            yield from self._of_kept_scores(toml)
        elif "score" in stated:
            if missing := [key for key in ("threshold", "above", "below") if key not in stated]:
                expected = f"threshold, above and below beside score; {_BESIDE}"
                yield ("score",), f"score without {listed(missing)}", expected
            if "label" in stated:
                yield ("label",), "label beside score", f"one of the two; {_BESIDE}"
            yield from toml.outside(stated)
            if len(self.above or ()) > 1 or (
                not isinstance(self.score, dict) and len(self.score or ()) > 1
            ):
                yield (
                    ("score",),
                    "a threshold beside several columns or labels",
                    "one column, and one label above it",
                )
        else:
            for key in _OF_SCORES:
                if key in stated:
                    yield (key,), f"{key} without score", "the column of the scores: score = …"
        yield from self._of_several(toml)

    def _of_kept_scores(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Scores beside labels that are the labels, or that do not say for which labels they speak."""
        by_name = isinstance(self.score, dict)
        columns = tuple(
            chain.from_iterable(self.score.values())
            if isinstance(self.score, dict)
            else self.score or ()
        )
        above = self.above or ()
        if set(self.label_columns) & set(columns):
            yield (
                ("score",),
                "score names the column of the labels",
                "another column, or threshold and below beside it",
            )
        yield from toml.outside(self.stated)
        if len(above) == 1:
            yield from toml.unless_two("score beside label")
        if not by_name and len(columns) != len(above):
            yield (
                ("score",),
                f"score names {plural(len(columns), 'column')}",
                "one for each label of above",
            )

    def _of_several(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Several columns of labels without what they are together."""
        if isinstance(self.label, Greatest):
            if outside := [
                name for name in self.label.names if name not in (toml.labels or self.label.names)
            ]:
                yield ("label",), f"greatest names {quoted(outside[0])}", toml.one_of_labels
        elif len(self.label_columns) > 1 and not toml.takes_several:
            expected = 'a table [combinations] that says which label each combination is, like "1,0" = "irony"'
            yield ("label",), "several columns of labels", expected

    def stated_layout(self, toml: "TaskToml") -> StatedLayout:
        """What is stated of the file's layout, and how its cells become labels."""
        score_by_name: tuple[tuple[str, StatedColumns], ...] = ()
        score: StatedColumns = ()
        if isinstance(self.score, dict):
            score_by_name = tuple(self.score.items())
        else:
            score = self.score or ()
        stated = replace(
            super().stated_layout(toml),
            score_by_name=score_by_name,
            label=self.label_columns or score or None,
            rule=self._rule(toml),
        )
        if self.is_beside_labels:
            return replace(stated, score=score, above=self.above or ())
        return stated

    def _rule(self, toml: "TaskToml") -> Rule | None:
        if self.threshold is not None and self.above is not None and self.below is not None:
            return Threshold(self.threshold, self.above[0], self.below, self.abstain)
        if isinstance(self.label, Greatest):
            return self.label
        if len(self.label or ()) <= 1:
            return None
        if toml.gives_sets:
            return Indicators(tuple(map(str, self.label or ())))
        return Combinations(toml.combinations)


class GoldTable(GoldSettings, AnswerSettings):
    """The gold file."""

    path: values.RelativePath | None = setting(
        "the gold file", "the one file `gold.*` at the top", "gold.csv"
    )

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Those of answers; scores that would be kept."""
        yield from super().contradictions(toml)
        if self.is_beside_labels:
            yield (
                ("score",),
                "score beside label in gold",
                "labels alone: gold has no scores to keep",
            )
        elif isinstance(self.score, dict):
            yield (
                ("score",),
                "columns of scores by team in gold",
                "one column, by its name or its number from 1",
            )


def _layouts(value: object) -> "dict[str, AnswerSettings]":
    """The layouts of single files, each as a table of its own."""
    if not isinstance(value, dict):
        raise PydanticCustomError("dict_type", "a table: [submissions.layouts]")
    layouts = {}
    for path, table in value.items():
        try:
            layouts[path] = AnswerSettings.model_validate(table)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = ".".join(map(str, first["loc"]))
            expected = "settings of one file, as under [submissions]"
            defect = f"{quoted(path, 120)} with {name or 'no table'}"
            raise PydanticCustomError(
                "bad-setting", "{expected}", {"expected": expected, "defect": defect}
            ) from None
    return layouts


class SubmissionsTable(AnswerSettings):
    """The submissions, and how all of them are read."""

    files: values.PathPattern | None = setting(
        "a path with `{team}`, and `{run}` or `{role}` where a team has several runs; each stands for a path component "
        "or a part of one, `*` for any text. Endings of archives and of compressed files need not be named",
        "`submissions/TEAM.ext` and `submissions/TEAM/RUN.ext`",
        "runs/{team}/task-a_{run}*.tsv",
    )
    ignore: values.Texts = setting(
        "globs of files that are no submissions, by path or by name",
        "documentation, pictures and programs are ignored, and listed",
        ["*.log"],
        default=(),
    )
    layouts: Annotated[dict[str, Any], PlainValidator(_layouts)] = setting(
        "how single files are read, by path: tables of these settings",
        "alike",
        {"runs/a.txt": {"format": "lines"}},
        default={},
    )

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Those of answers; and those of each file's own layout."""
        yield from super().contradictions(toml)
        for path, layout in self.layouts.items():
            yield from (
                (("layouts", path), defect, expected)
                for _, defect, expected in layout.contradictions(toml)
            )

    def stated_layout(self, toml: "TaskToml") -> StatedLayout:
        """What is stated of the layout of submissions, whose numbers can be rounded to gold's labels."""
        stated = super().stated_layout(toml)
        return replace(stated, spelling=replace(stated.spelling, rounding=toml.rounding))


_NAMED = ("delimited", "excel", "parquet", "json", "jsonl")


class WideTable(GoldSettings, FileSettings):
    """One file with gold and a column for each system, in place of [gold] and [submissions]."""

    path: values.RelativePath | None = setting(
        "the file", "the only data file at the top", "runs.csv"
    )
    gold: values.Column | None = setting(
        "the column of gold labels, by name or number",
        "recognised, if only one column has such a name",
        "y",
    )
    systems: values.Texts | None = setting(
        "the columns that are systems, by name",
        "every other column whose cells are mostly labels",
        ["SVM", "BoW"],
    )
    score: values.WideScores | None = setting(
        "the columns of kept scores: a pattern, or each by its system",
        "no scores are kept",
        "{team}_prob",
    )
    above: values.Text | None = setting(
        "the label, of two, that a higher score speaks for", "needed beside `score`", "1"
    )
    format: Annotated[str, one_of(*_NAMED)] | None = setting(
        f"{listed([f'`{name}`' for name in _NAMED], 'or')}", "recognised", "jsonl"
    )
    header: Annotated[bool, expecting("true", bool)] | None = setting(
        "the columns of a wide file always have names", "true", example=True
    )

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:
        """Those of the format; scores for no label, a label for no scores, and three labels."""
        yield from super().contradictions(toml)
        if self.score is not None and self.above is None:
            yield (
                ("score",),
                "score without above",
                "the label that a higher score speaks for: above = …",
            )
        if self.above is not None and self.score is None:
            yield (
                ("above",),
                "above without score",
                'the columns of the scores, like score = "{team}_score"',
            )
        if self.score is not None:
            yield from toml.unless_two("score")
        yield from toml.outside(self.stated)

    def stated_layout(self, toml: "TaskToml") -> StatedLayout:
        """What is stated of the file's layout, and the label that a higher score speaks for."""
        stated = super().stated_layout(toml)
        if self.above is None:
            return stated
        return replace(stated, above=(self.above,))

    def score_of(self, system: str) -> str | None:
        """The column of a system's scores; None where none is named."""
        if self.score is None:
            return None
        if isinstance(self.score, str):
            return self.score.replace("{team}", system)
        return self.score.get(system)


class SetsTable(Table):
    """How files give the sets of several labels or of spans, where `kind` is `"sets"`."""

    form: Annotated[str, one_of(*FORMS)] | None = setting(
        "; ".join(f"`{name}`: {words}" for name, words in FORMS.items()),
        "`tags` where gold has sequences, `columns` where `label` lists several, else `list`",
        "rows",
    )
    separator: Annotated[str, values.expecting("a text in quotes, not empty", len)] | None = (
        setting(
            "what parts the labels of a cell", "the one of `,` `;` `|` that gold's cells have", ";"
        )
    )
    repair: Annotated[str, one_of(*REPAIRS)] = setting(
        "; ".join(f"`{name}`: {words}" for name, words in REPAIRS.items()),
        "`conll`",
        "strict",
        default="conll",
    )
    triples: Annotated[str, one_of(*TRIPLES)] | None = setting(
        "the order of triples whose labels are numbers",
        "told by the file, or asked",
        "label-start-end",
    )
    unit: values.Text | None = setting(
        "the word for what has a set", "`item`, of tags `sequence`", "message"
    )


class OfficialTable(Table):
    """An announced score that is made of several scores of the same predictions."""

    mean_of: values.Texts = setting(
        "the score is the mean of these, 2 to 20, each as `official_metric` would name it",
        "`official_metric` holds",
        ["averaged_f1", "accuracy"],
        default=(),
    )
    mean_rank_of: values.Texts = setting(
        "likewise, of the ranks by these scores",
        "`official_metric` holds",
        ["averaged_f1", "accuracy"],
        default=(),
    )
    weights: values.Weights | None = setting(
        "a number above 0 for each of them, with at most six decimals", "all count alike", [2, 1]
    )

    @property
    def name(self) -> str:
        """The setting that lists the scores."""
        if self.mean_rank_of:
            return "mean_rank_of"
        return "mean_of"

    @property
    def metric(self) -> str | None:
        """The score as `official_metric` would name it; None where none is made."""
        scores = self.mean_rank_of or self.mean_of
        factors = [f"{decimal_text(weight)}*" for weight in self.weights or ()] or [""] * len(
            scores
        )
        terms = ",".join(factor + score for factor, score in zip(factors, scores, strict=False))
        if scores:
            return f"{'mean_rank' if self.mean_rank_of else 'mean'}({terms})"
        return None

    def contradictions(self, toml: "TaskToml") -> Iterator[Contradiction]:  # noqa: ARG002 - as those of files
        """Both means, scores that are several, and weights of another number."""
        scores = self.mean_rank_of or self.mean_of
        if self.mean_of and self.mean_rank_of:
            yield (self.name,), "mean_rank_of beside mean_of", "one of the two"
        for score in scores:
            if not _is_one_score(score):
                yield (
                    (self.name,),
                    f"{quoted(score)} in {self.name}",
                    "one score in each text, without a weight",
                )
        if self.weights is not None and len(self.weights) != len(scores):
            n_weights = plural(len(self.weights), "weight")
            n_scores = plural(len(scores), "score")
            yield (
                ("weights",),
                f"{n_weights} for {n_scores} in {self.name}",
                "one for each score, in their order",
            )


def _is_one_score(text: str) -> bool:
    """Whether a text would be one term of a mean: no list of them, which would shift the weights, and no weight."""
    from audit.metrics.composites import split_composite  # noqa: PLC0415 - a check of a file needs no metrics

    try:
        composite = split_composite(f"mean({text})")
    except MetricNameError:
        return True  # what is wrong with it is said where it is read
    return (
        composite is not None
        and [term.weight for term in composite.terms] == [1]
        and composite.terms[0].name == text.strip()
    )


class PublishedTable(Table):
    """Scores that were published, to be checked."""

    path: values.RelativePath | None = setting(
        "a table as the paper has it: a heading row, a column of team names, and columns of scores; "
        "[which metric and reading](readings.md) each is of is found out",
        "nothing is checked",
        "published.csv",
    )


class ColumnTable(Table):
    """What is said of one column of a scorer's output."""

    better: Annotated[str, one_of("higher", "lower")] | None = setting(
        "which end is best: `higher` or `lower`",
        "known by the name, as of BLEU, and printed; else asked",
        "lower",
    )
    range: values.Range | None = setting(
        "the lowest and the highest number; others are refused",
        "none is known, and intervals are wider",
        [0, 100],
    )

    @property
    def is_better(self) -> bool | None:
        """Whether a higher number is better; None where that is not said."""
        if self.better is None:
            return None
        return self.better == "higher"


class ResamplingTable(Table):
    """Options of an evaluation: no part of what the campaign is."""

    seed: Annotated[int, whole(MOST_SEED)] = setting("seeds every draw", "1", 17, default=1)
    certainty: values.Truth = setting(
        "`false` leaves out intervals and comparisons", "`true`", example=False, default=True
    )


_POLICIES: dict[str, Any] = {
    kind.slug: (
        Annotated[str, one_of(*kind.values)],
        setting(
            f"{kind.title.lower()}: "
            + "; ".join(f"`{value}`: {words}" for value, words in kind.values.items()),
            f"`{kind.default}`",
            [*kind.values][-1],
            default=kind.default,
        ),
    )
    for kind in POLICY_KINDS.values()
}
PolicyTable = create_model("PolicyTable", __base__=Table, **_POLICIES)
"""What is done where the files leave something open; every difference from the default is a flag."""


class ChosenTable(Table):
    """A run that counts for its team, whatever the policy `runs` says; all three are needed."""

    team: values.Text = setting(
        "the team, as the paths or the table give it", "needed", "uni x", default=...
    )
    run: values.Text = setting("its run", "needed", "run2", default=...)
    reason: values.Text = setting("why, for readers", "needed", "mail of 3 May", default=...)


class TaskToml(Table):
    """What task.toml says of one test set."""

    id_pattern: values.IdPattern | None = setting(
        "a regular expression whose group is the id in each cell that it matches, in gold and submissions alike",
        "the whole cell is the id",
        "([^/]+)$",
    )

    labels: values.Labels | None = setting(
        "the label set, in the order of tables; gold may lack some",
        "the labels of gold, sorted",
        ["against", "none", "favor"],
    )
    fold_case: values.Truth = setting(
        "upper and lower case are one in labels, which are written as gold has them",
        "`false`",
        example=True,
        default=False,
    )
    aliases: dict[str, values.LabelText] = _names(
        'other spellings of labels, and the label that each stands for; `""` for no answer',
        "labels are taken as they stand",
        {"pos": "positive", "n/a": ""},
    )
    combinations: dict[str, values.LabelText] = _names(
        "cells of the columns that `label` lists, joined by commas, and the label that they are together; others are "
        "outside the label set",
        "needed where `label` lists several",
        {"0,0": "none", "1,0": "irony"},
    )
    slug: values.Slug | None = setting(
        "the task's name in the store and on the command line: letters, digits, dots, hyphens, underscores",
        "made from the folder's name",
        "stance-2031",
    )
    title: values.Text | None = setting(
        "its name for readers", "the folder's name", "Stance 2031, subtask A"
    )
    note: values.Text | None = setting(
        "what every reader must know; it stands below the title",
        "nothing",
        "Twelve gold labels were corrected.",
    )
    label_names_file: values.RelativePath | None = setting(
        "a table with a column of labels and one of names for readers, or a JSON object from labels to names",
        "readers see the labels",
        "mapping.txt",
    )
    label_names_column: values.Column | None = setting(
        "its column of names: a heading, or a number from 1", "the column behind that of labels", 3
    )
    kind: Annotated[str, one_of(*STATED_KINDS)] = setting(
        "`sets` where an item has any number of labels, or spans are found: [several labels and "
        "spans](kinds.md#several-labels-and-spans); `ratings` or `scores` where it has [a number](kinds.md#numbers)",
        "`classes`: each item has one label; `sets` where tags such as B-PER mark spans, unless other settings are of "
        "classes alone",
        "sets",
        "ratings",
        default="classes",
    )
    scale: values.Scale = setting(
        "`true`: labels are steps of a [scale](kinds.md#labels-on-a-scale), numerals by value, others as in `labels`,"
        " lowest first; or their values",
        "`false`: labels are names",
        [0, 1, 2, 5],
        default=False,
    )
    order: values.Labels | None = setting(
        "the labels of a scale, lowest first, where numerals are not in order of value",
        "numerals by value",
        ["3", "2", "1"],
    )
    round: Annotated[str, one_of("nearest")] | None = setting(
        "`nearest`: a submission's numbers count as the nearest label of the scale, halves as the higher",
        "they are no labels",
        "nearest",
    )
    rest_label: values.Text | None = setting(
        "the label of a [rest class](kinds.md#a-rest-class-that-joins-no-average), which joins no average",
        "every class in gold is averaged over",
        "OTHERS",
    )
    official_metric: values.Text | None = setting(
        "the metric that was announced, as `audit metrics` lists it, or a [reading](readings.md) of it; `macro_f1` is "
        "refused, as it is two formulas",
        "none, and a flag says so",
        "averaged_f1[against,favor]",
    )
    official_decimals: Annotated[int, whole(15)] | None = setting(
        "decimals of the scores on which the published ranking was made", "full precision", 4
    )
    overall: Annotated[str, one_of(*OVERALL_RULES)] | None = setting(
        f"the rule by which [several test sets](recipes.md#several-runs-several-test-sets) are summed up: "
        f"{listed([f'`{rule}`' for rule in OVERALL_RULES], 'or')}; one for all",
        "nothing was announced: all three stand side by side",
        "mean-score",
    )
    weight: values.Weight = setting(
        "what a test set counts there, stated in `[subtask.NAME]`",
        "all count alike",
        2,
        default=1.0,
    )
    strict: values.Truth = setting(
        'a submission with an unanswered item is rejected: short for `missing = "reject"` and `unusable = "reject"`',
        "unanswered items are wrong, and flagged",
        example=True,
        default=False,
    )
    gold: GoldTable = GoldTable.model_construct()
    submissions: SubmissionsTable = SubmissionsTable.model_construct()
    wide: WideTable | None = None
    sets: SetsTable = SetsTable.model_construct()
    official: OfficialTable = OfficialTable.model_construct()
    policies: Annotated[Table, PlainValidator(PolicyTable.model_validate)] = (
        PolicyTable.model_construct()
    )
    chosen: list[ChosenTable] = []
    published: PublishedTable = PublishedTable.model_construct()
    resampling: ResamplingTable = ResamplingTable.model_construct()
    columns: dict[str, ColumnTable] = {}
    teams: dict[str, values.Text] = _names(
        "names for readers, by the names in files or of a wide file's columns",
        "the table's names, or those in the files",
        {"437256": "RW2C"},
    )
    label_names: dict[str, values.Text] = _names(
        "what people read in place of labels; what programs read keeps them. They go before `label_names_file`",
        "readers see the labels",
        {"2": "hateful"},
    )
    latex_names: dict[str, values.Latex] = _names(
        "LaTeX for a team's name as the report shows it, in the files of `audit export`: one line, braces closed",
        "the name, escaped",
        {"名前": "Namae"},
    )
    roles: dict[str, values.RoleName] = _names(
        f"what a run is to the campaign ({listed([f'`{role}`' for role in Role], 'or')}), by the name of a role in a "
        "path or in the table, of a run or of a team, looked for in this order; `*` stands for any text",
        "a run is primary, whatever it is called",
        {"contrastive*": "contrastive"},
    )
    prevalence: dict[values.PrevalenceName, dict[str, values.Share]] = _names(
        "class distributions to score at, besides *observed* and *balanced*: a positive share for every class in gold "
        "and for no other; they are scaled to sum to 1",
        "none",
        {"newsroom": {"against": 70, "favor": 10}},
    )

    @property
    def gives_sets(self) -> bool:
        """Whether items have any number of labels, or spans are found."""
        return self.stated_kind.supports(Feature.UNITS)

    @property
    def says_classes(self) -> bool:
        """Whether it is said that items have one label each: by the kind, or by what sets lack."""
        said = {"kind", *_NOT_OF_SETS} & self.model_fields_set
        return bool(said) or self.gold.stratified or are_tags(self.labels or ())

    @property
    def stated_kind(self) -> Kind:
        """What the task asks for; of sets, as if they were of labels."""
        return STATED_KINDS[self.kind]

    @property
    def gives_numbers(self) -> bool:
        """Whether items have numbers: gold's and predictions, or a scorer's."""
        return self.stated_kind.supports(Feature.NUMBERS)

    @property
    def takes_several(self) -> bool:
        """Whether several columns may be named for what is scored."""
        return bool(self.combinations) or self.gives_sets or self.gives_columns

    @property
    def gives_columns(self) -> bool:
        """Whether files hold what a scorer gave each team for every item."""
        return self.stated_kind.supports(Feature.COLUMNS)

    @property
    def spelling(self) -> Spelling:
        """The spellings that are accepted."""
        return Spelling(self.aliases, fold_case=self.fold_case, labels=self.labels)

    @property
    def rounding(self) -> Rounding | None:
        """How a submission's numbers become labels; None where they do not."""
        if self.round is None:
            return None
        ordered, numbers = labels_on_scale(self.labels or (), self.scale, self.order)
        if not self.labels or numerals(self.labels) or isinstance(self.scale, bool):
            return Rounding()
        return Rounding(dict(zip(ordered, numbers, strict=True)))

    @model_validator(mode="before")
    @classmethod
    def _with_ordered_labels(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the file has
        """An order names the labels, where nothing else does."""
        if isinstance(data, dict) and "order" in data and "labels" not in data:
            return data | {"labels": data["order"]}
        return data

    def of_labels(self) -> Iterator[Contradiction]:
        """Settings that name labels outside the label set, or that make one label of two."""
        if (clash := self.spelling.clash(self.labels or ())) is not None:
            yield ("aliases", clash[0]), self.spelling.clash_words(*clash), CLASH_EXPECTED
        if self.labels is None:
            return
        folded = Counter(map(str.casefold, self.labels))
        if self.fold_case and max(folded.values()) > 1:
            yield ("fold_case",), "fold_case = true", "labels that differ in more than case"
        for table, label_of in (("aliases", self.aliases), ("combinations", self.combinations)):
            for key, label in label_of.items():
                if label and label not in self.labels:
                    yield (table, key), f"{quoted(key)} = {quoted(label)}", self.one_of_labels
        for alias in self.aliases:
            if alias in self.labels:
                yield (
                    ("aliases", alias),
                    f"{quoted(alias)} is itself a label",
                    "another spelling of a label",
                )

    def outside(self, stated: Mapping[str, Any]) -> Iterator[Contradiction]:
        """Labels that scores speak for, and that are none of the label set."""
        for key in ("above", "below"):
            named = stated.get(key) or ()
            for label in (named,) if isinstance(named, str) else named:
                if self.labels is not None and label not in self.labels:
                    yield (key,), f"{key} = {quoted(label)}", self.one_of_labels

    def unless_two(self, words: str) -> Iterator[Contradiction]:
        """Scores that speak for one of more than two labels."""
        if len(self.labels or ()) > _TWO:
            yield ("score",), f"{words}, with {len(self.labels or ())} labels", "two labels"

    @property
    def one_of_labels(self) -> str:
        """What one of the labels is expected to be, in words."""
        return f"a label of labels: {listed(list(map(quoted, self.labels or ())), 'or', limit=12)}"

    @model_validator(mode="after")
    def _without_contradictions(self) -> "TaskToml":
        errors = [
            InitErrorDetails(
                type=PydanticCustomError(
                    "bad-setting", "{expected}", {"expected": expected, "defect": defect}
                ),
                loc=place,
                input=None,
            )
            for place, defect, expected in self.contradictions()
        ]
        if errors:
            raise ValidationError.from_exception_data("task.toml", errors)
        return self

    def contradictions(self) -> Iterator[Contradiction]:
        """Settings that do not go together, of all tables."""
        yield from self.of_labels()
        for name in ("gold", "submissions", "wide", "official"):
            if name in self.model_fields_set:
                of_table = getattr(self, name).contradictions(self)
            else:
                of_table = ()
            yield from (((name, *place), defect, expected) for place, defect, expected in of_table)
        if self.wide is not None and {"gold", "submissions"} & self.model_fields_set:
            yield (
                ("wide",),
                "[wide] beside [gold] or [submissions]",
                "either [wide], or the other two",
            )
        yield from self._of_sets()
        yield from self._of_numbers()
        yield from self._of_missing()
        yield from self._of_scale()
        if self.official.metric is not None and self.official_metric is not None:
            yield (
                ("official", self.official.name),
                f"{self.official.name} beside official_metric",
                "one of the two",
            )
        for slug, value in self.policies.stated.items():
            if (
                self.strict
                and value != getattr(STRICT_POLICIES, slug)
                and slug in ("missing", "unusable")
            ):
                yield (
                    ("policies", slug),
                    f'{slug} = "{value}" beside strict = true',
                    "one of the two",
                )

    def _of_scale(self) -> Iterator[Contradiction]:
        """A scale of no stated order, of another number of labels, or of what is no scale."""
        if self.scale is False:
            if self.order is not None:
                yield (
                    ("order",),
                    "order without scale",
                    "scale = true, or the value of each label, beside it",
                )
            return
        yield from self._of_order()
        if self.labels is None:
            if self.scale is not True:
                yield ("scale",), "values without labels", IN_ORDER
        elif self.scale is not True and len(self.scale) != len(self.labels):
            expected = "a number for each of labels"
            yield (
                ("scale",),
                f"{plural(len(self.scale), 'number')} for {len(self.labels)} labels",
                expected,
            )
        if self.rest_label is not None:
            yield ("rest_label",), "rest_label beside scale", "either of the two"

    def _of_order(self) -> Iterator[Contradiction]:
        """An order of other labels, and values that do not rise with the numerals that they are of."""
        labels = self.labels or ()
        if self.order is not None and sorted(self.order) != sorted(labels):
            yield (
                ("order",),
                f"order = {toml_list(self.order)}",
                f"each of labels once: {toml_list(labels)}",
            )
        numbers = numerals(labels)
        if self.order is None and self.scale is not True and list(numbers) != sorted(numbers):
            expected = "numerals from the lowest to the highest; or order = […], which states another order"
            yield ("scale",), f"rising values of {toml_list(labels)}", expected

    def _of_sets(self) -> Iterator[Contradiction]:
        """Settings that only sets have, or only classes."""
        if not self.gives_sets:
            if "sets" in self.model_fields_set:
                yield ("sets",), '[sets] without kind = "sets"', 'kind = "sets" at the top'
            return
        yield from self._without(_NOT_OF_SETS)

    def _of_numbers(self) -> Iterator[Contradiction]:
        """Settings that only numbers have, or only labels."""
        if self.gives_numbers:
            yield from self._without((*_NOT_OF_SETS, *_OF_LABELS))
        if self.gives_columns:
            grouping: object = self.gold.group
            if isinstance(grouping, GroupFile | Separator):
                expected = "a column of the list of items"
                yield ("gold", "group"), f'a file of groups beside kind = "{self.kind}"', expected
            return
        expected = 'kind = "scores" at the top'
        if "columns" in self.model_fields_set:
            yield ("columns",), f'[columns] beside kind = "{self.kind}"', expected
        if self.gold.weight is not None:
            yield ("gold", "weight"), f'weight beside kind = "{self.kind}"', expected

    def _without(self, names: Iterable[str]) -> Iterator[Contradiction]:
        """Settings beside a kind of task that has no such thing."""
        expected = f"either of the two: {self.kind} have no such thing"
        for name in names:
            if name in self.model_fields_set:
                yield (name,), f'{name} beside kind = "{self.kind}"', expected
        if self.gold.stratified:
            yield ("gold", "stratified"), f'stratified beside kind = "{self.kind}"', expected

    def _of_missing(self) -> Iterator[Contradiction]:
        """A policy for missing items that this kind of task has not."""
        policies = self.stated_kind.traits.missing
        stated = self.policies.stated.get("missing")
        if stated is not None and stated not in policies:
            expected = listed([toml_text(policy) for policy in policies], "or")
            found = f'missing = "{stated}" beside kind = "{self.kind}"'
            yield ("policies", "missing"), found, expected


_NOT_OF_SETS = ("rest_label", "scale", "order", "round", "wide", "prevalence", "combinations")
_OF_LABELS = ("labels", "fold_case", "aliases", "label_names", "label_names_file")


TABLES: Mapping[str, type[Table]] = {
    "gold": GoldTable,
    "submissions": SubmissionsTable,
    "wide": WideTable,
    "sets": SetsTable,
    "official": OfficialTable,
    "policies": PolicyTable,
    "published": PublishedTable,
    "resampling": ResamplingTable,
    "columns": ColumnTable,
    "chosen": ChosenTable,
}
"""The tables whose settings have names of their own, by their headings."""
