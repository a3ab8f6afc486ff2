"""What participants may have: a check without gold's ids and size, and a kit of the published items and the labels."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from audit.domain import Feature, Gold, LabelSet, Policies, code_dtype
from audit.domain.privacy import ItemIds
from audit.errors import ISSUE_KINDS, MOST_LINES, SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.align.alignment import Checked
from audit.formats.campaign.conventions import answers_below, name_of
from audit.formats.campaign.set_files import GoldSets, gold_sets
from audit.formats.campaign.single_file import AnswerKey, read_key
from audit.formats.files.content import decode, inner_name, unpacked
from audit.formats.files.held_files import HeldFiles
from audit.formats.files.tree import Tree, read_alone
from audit.formats.recognise import every_column
from audit.formats.settings.layout import NOTHING_STATED
from audit.formats.settings.parsing import TrackSettings, decoded, inherited, parse_settings, parsed
from audit.text import listed, plural, quoted

# the file of a kit, or beside gold, with the ids of the items that participants were given
PUBLISHED = "items.csv"

_BY_POSITION = "position"
_LABELS_SHOWN = 5
OF_TEAMS = ("teams", "latex_names", "roles", "chosen")  # the tables of task.toml that name teams
_OF_OTHERS = (  # what task.toml says of teams, readers and other test sets
    *(*OF_TEAMS, "published", "resampling", "note", "strict"),
    *("overall", "weight", "label_names_file", "label_names_column", "wide", "policies"),
)
_OF_PLACES = ("files", "ignore")  # of submissions
_OF_SCORES = ("official_metric", "official_decimals", "official", "prevalence", "gold")


def for_participants(checked: Checked, gold: Gold, *, of_published: bool) -> Checked:
    """A check as whoever handed the file in may see it: counts, their own lines and labels.

    Of gold it has neither ids nor size, nor labels that only gold tells. How many items have no answer is told only of
    items that are published. Each issue is said in the words of the catalogue.
    """
    ids = ItemIds.of(gold.item_ids, gold.label_set)
    own_labels = [label for label, _ in checked.unusable_labels]
    shown = list(map(quoted, ids.of_values(own_labels[:_LABELS_SHOWN])))
    if len(own_labels) > _LABELS_SHOWN:
        more = [f"{len(own_labels) - _LABELS_SHOWN:,} more"]
    else:
        more = []
    may_be_used = [
        quoted(label) for label in gold.label_set if label not in gold.label_set.stand_ins
    ]
    if gold.label_set.declared:
        expected = f"one of {listed(may_be_used)}"
    else:
        expected = None
    issues: dict[str, Issue] = {}
    for issue in checked.issues:
        labels = (shown + more, expected) if issue.slug == "unusable-label" else ((), None)
        if not issue.lines and not of_published:  # it counts gold's items, not lines of theirs
            issue = replace(issue, count=1)  # noqa: PLW2901 - said in fewer words
        reduced = _reduced(issue, checked.path, *labels)
        before = issues.get(issue.slug)
        if before is not None:
            lines = tuple(sorted({*before.lines, *reduced.lines}))[:MOST_LINES]
            reduced = replace(before, lines=lines, count=before.count + reduced.count)
        issues[issue.slug] = reduced
    if checked.layout is None:
        layout = None
    else:
        layout = ids.withheld(checked.layout)
    told = tuple(issues.values())
    return Checked(
        checked.path,
        checked.codes,
        (),
        told,
        layout,
        checked.is_assumed,
        tells_missing=of_published,
    )


def _reduced(issue: Issue, path: str, labels: Sequence[str], expected: str | None) -> Issue:
    # which files are theirs
    if issue.slug == "missing-file":
        found = issue.found
    else:
        found = ISSUE_KINDS[issue.slug].title
    if labels:
        found += f": {listed(labels)}"
    else:
        found += ""
    if issue.count > 1 and not issue.lines:
        found += f" ({issue.count:,})"
    else:
        found += ""
    if issue.fatal:
        remedy = "correct the file and hand it in again"
    else:
        remedy = "correct the file, unless it is meant so"
    if expected is None:
        expected = ISSUE_KINDS[issue.slug].expected
    return Issue(issue.slug, path, found, expected, remedy, issue.lines, issue.count, issue.fatal)


# One test set, without the teams


def reduced_settings(
    content: bytes | None, part: str | None, labels: LabelSet, policies: Policies, *, for_kit: bool
) -> dict[str, Any]:
    """What task.toml says of one test set and of how its files are read; for a kit also without gold and scores."""
    if content is None:
        tree = {}
    else:
        tree = parsed(decoded(content))
    subtasks = tree.pop("subtask", {})
    if part is not None and part in subtasks:
        tree = inherited(tree, subtasks[part], part)
    kept = {
        key: value
        for key, value in tree.items()
        if key not in (*_OF_OTHERS, *(_OF_SCORES if for_kit else ()))
    }
    read_as = {
        key: value for key, value in kept.get("submissions", {}).items() if key not in _OF_PLACES
    }
    if labels.supports(Feature.ANSWERS):
        kept["labels"] = list(labels)
    in_force = {slug: getattr(policies, slug) for slug in policies.differences if slug != "runs"}
    return kept | {"submissions": read_as, "policies": in_force}


def toml_of(settings: Mapping[str, Any]) -> bytes:
    """Settings as a file; plain values come before tables."""
    import tomlkit  # noqa: PLC0415 - a check of a file needs none

    plain = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in settings.items() if isinstance(value, dict) and value}
    return tomlkit.dumps({**plain, **tables}).encode()


def reference_files(
    gold: Gold, content: bytes | None, part: str | None, policies: Policies
) -> dict[str, bytes]:
    """The gold of one test set and its settings, as a campaign's folder that knows no team."""
    settings = reduced_settings(content, part, gold.label_set, policies, for_kit=False)
    own = dict(settings.get("gold", {}))
    if isinstance(own.get("group"), dict) and "path" in own["group"]:
        del own["group"]  # scores need no groups, and the second file stays away
    if gold.source is not None:
        name = f"gold.{name_of(gold.source.path).partition('.')[2] or 'txt'}"
        files = {
            SETTINGS_FILE: toml_of(settings | {"gold": own | {"path": name}}),
            name: gold.source.content,
        }
        if gold.label_set.supports(Feature.UNITS):
            return files
        with suppress(InputError):  # a file with all systems beside it is not read as this gold
            read = read_key(HeldFiles(files)).gold
            if read.digest() == replace(gold, groups=read.groups, unit=read.unit).digest():
                return files
    ids = gold.item_ids or map(str, range(1, gold.n_items + 1))
    labels = [gold.label_set.labels[code] for code in gold.codes.tolist()]
    plain = _csv(("id", "label"), zip(ids, labels, strict=True))
    return {SETTINGS_FILE: toml_of(settings | {"gold": {"path": "gold.csv"}}), "gold.csv": plain}


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return file.getvalue().encode("utf-8", "surrogatepass")


def constant_answer(gold: Gold, content: bytes | None, part: str | None) -> bytes:
    """The first label for every item, in columns that are called as task.toml says."""
    label = gold.label_set.labels[0]
    if gold.item_ids is None:
        return f"{label}\n".encode() * gold.n_items
    if content is None:
        stated = NOTHING_STATED
    else:
        stated = parse_settings(content, part).submission_layout
    columns = ((stated.id or (), "id"), (stated.label or (), "label"))
    head = [
        next((name for name in names if isinstance(name, str)), usual) for names, usual in columns
    ]
    return _csv(head, ([item, label] for item in gold.item_ids))


def handed_in(path: Path) -> tuple[str, bytes]:
    """The ending and the bytes of the one file of predictions: the file itself, or the only one in a folder."""
    name = path.name
    if path.is_dir():
        with Tree(path) as tree:
            names = answers_below(tree, "")
            if len(names) != 1:
                if names:
                    shown = f": {listed(list(map(quoted, names)), limit=_LABELS_SHOWN)}"
                else:
                    shown = ""
                defect = f"{plural(len(names), 'data file')}{shown}"
                raise InputError(
                    [
                        Issue.of(
                            "missing-file", "submission", defect, expected="one file of predictions"
                        )
                    ]
                )
            name = name_of(names[0])
            data = tree.original(names[0])
    else:
        data = read_alone(path)
    inner = inner_name(name)
    return PurePosixPath(inner).suffix + name[len(inner) :], data


# The kit


def kit_files(
    gold: Gold,
    content: bytes | None,
    part: str | None,
    policies: Policies,
    items: Sequence[str] | None,
) -> dict[str, bytes]:
    """The published items and the settings of the checker; none where a file cannot be checked without gold."""
    if gold.unit == "sequence" and gold.label_set.supports(Feature.ANSWERS):
        raise UsageError(
            "A kit is for items with one label or a set each: to check sequences takes gold."
        )
    settings = reduced_settings(content, part, gold.label_set, policies, for_kit=True)
    if gold.label_set.supports(Feature.UNITS):
        return _kit_of_sets(gold, content, part, settings, items)
    return {PUBLISHED: published_csv(gold, items), SETTINGS_FILE: toml_of(settings)}


def _kit_of_sets(
    gold: Gold,
    content: bytes | None,
    part: str | None,
    settings: dict[str, Any],
    items: Sequence[str] | None,
) -> dict[str, bytes]:
    """The published units, and how a set is written: gold's form, separator and headings, which task.toml may omit."""
    sets = _sets_of(gold, content, part)
    if sets.reader.form == "tags":
        raise UsageError(
            "A kit is for items with one label or a set each: to check tags of tokens takes gold."
        )
    layout = sets.table.layout
    stated = sets.settings.toml.sets
    label = [layout.label_name or "label"]
    if len(layout.label) > 1:
        label = [layout.column_name(column) for column in layout.label]
    grammar = {
        "form": "columns" if len(layout.label) > 1 else sets.reader.form,
        "separator": sets.reader.separator,
    }
    has_ids = sets.units.ids is not None
    headings = {"id": (layout.id_name or "id") if has_ids else False, "label": label}
    as_csv = {"format": "delimited", "delimiter": "comma", "header": True}
    own = {"kind": "sets", "sets": {**stated.stated, **grammar}, "gold": as_csv | headings}
    return {
        PUBLISHED: published_csv(sets.target.gold, items),
        SETTINGS_FILE: toml_of(settings | own),
    }


def _sets_of(gold: Gold, content: bytes | None, part: str | None) -> GoldSets:
    """Gold's sets, as its file has them."""
    if gold.source is None:
        raise UsageError(
            "A kit of sets is made from gold’s file, which is not stored: load the campaign again."
        )
    if content is None:
        settings = TrackSettings()
    else:
        settings = parse_settings(content, part)
    return gold_sets(gold.source.path, gold.source.content, settings)


def published_csv(gold: Gold, items: Sequence[str] | None) -> bytes:
    """The items as participants have them: by their ids, or counted where they have none."""
    if gold.item_ids is None:
        return _csv((_BY_POSITION,), ([str(number)] for number in range(1, gold.n_items + 1)))
    if items is None:
        raise UsageError(
            "Say which items participants were given: --items FILE, the test set as it was published. Gold’s own list "
            "would tell which of them are scored."
        )
    return _csv(("id",), ([item] for item in items))


def read_published(folder: Path, label_set: LabelSet) -> Gold:
    """The published items as gold whose labels are nobody's: a check of a file depends on ids and labels alone."""
    head, rows = _published_rows(folder)
    codes = np.zeros(len(rows), code_dtype(len(label_set)))
    return Gold(label_set, codes, tuple(rows) if head == "id" else None)


def published_beside(folder: Path, key: AnswerKey) -> AnswerKey:
    """A campaign's key with the items that its folder says were published, of sets as a kit would have them."""
    if not key.gold.label_set.supports(Feature.UNITS):
        return replace(key, published=read_published(folder, key.gold.label_set))
    head, rows = _published_rows(folder)
    if head == "id":
        ids = rows
    else:
        ids = None
    content = kit_files(key.gold, key.settings, key.part, key.policies_in_force, ids)[SETTINGS_FILE]
    return replace(
        key, published=_empty_sets(folder, parse_settings(content)), published_settings=content
    )


def _published_rows(folder: Path) -> tuple[str, list[str]]:
    """The heading and the cells of the list of published items."""
    with Tree(folder) as tree:
        text = decode(PUBLISHED, tree.original(PUBLISHED)).text
    head, *rows = [row[0] for row in csv.reader(io.StringIO(text)) if row] or [""]
    if head not in {"id", _BY_POSITION} or not rows:
        expected = f"a heading, id or {_BY_POSITION}, and a line for each item"
        raise InputError(
            [Issue.of("wrong-columns", PUBLISHED, f"the heading {quoted(head)}", expected=expected)]
        )
    return head, rows


def read_kit(folder: Path) -> tuple[Gold, bytes]:
    """What a kit has in place of gold, and its settings."""
    with Tree(folder) as tree:
        content = tree.original(SETTINGS_FILE)
    settings = parse_settings(content)
    if settings.toml.gives_sets:
        return _empty_sets(folder, settings), content
    labels = settings.toml.labels
    if labels is None:
        raise InputError(
            [
                Issue.of(
                    "bad-setting",
                    SETTINGS_FILE,
                    "no labels",
                    expected="labels, as a kit states them",
                )
            ]
        )
    return read_published(folder, LabelSet(tuple(labels), declared=True)), content


def _empty_sets(folder: Path, settings: TrackSettings) -> Gold:
    """The published units as gold with an empty set each, in a file of the form that the kit states."""
    head, rows = _published_rows(folder)
    label = [str(name) for name in settings.gold_layout.label or ()]
    if len(label) > 1:
        nothing = ["0"] * len(label)
    else:
        nothing = ["[]"]
    by_id = head == "id"
    heading = [*map(str, settings.gold_layout.id or ()), *label]
    file = _csv(heading, ([item, *nothing] if by_id else nothing for item in rows))
    return gold_sets(PUBLISHED, file, settings, of_published=True).gold


def ids_of_units(gold: Gold, content: bytes | None, part: str | None) -> tuple[str, ...]:
    """The ids of what has a label or a set, as gold's file has them; none where they are known by position."""
    if not gold.label_set.supports(Feature.UNITS):
        return gold.item_ids or ()
    return tuple(_sets_of(gold, content, part).units.ids or ())


def published_ids(path: Path, scored: Collection[str]) -> tuple[str, ...]:
    """The ids of a published test set, in any format: the first column that holds all ids that are scored.

    Its first cell is the heading, unless that is an id of gold.
    """
    content = decode(path.name, unpacked(path.name, read_alone(path)))
    secret = set(scored)
    for column in every_column(content):
        ids = list(dict.fromkeys(cell.strip() for cell in column))
        if secret.issubset(ids):
            return tuple(ids if ids[0] in secret else ids[1:])
    expected = f"a column with each of the {plural(len(secret), 'id')} of gold, and those that are not scored"
    raise InputError(
        [
            Issue.of(
                "no-such-column",
                inner_name(path.name),
                "no column has all ids of gold",
                expected=expected,
            )
        ]
    )


def refuse_unknown_extras(policies: Policies) -> None:
    """Refuse to tell participants which items are missing or further where only gold knows which are scored."""
    if policies.extra == "ignore":
        raise UsageError(
            f'By extra = "ignore" answers to items that are not scored pass, and a check would tell which these are. '
            f"State the published items: --items FILE, or {PUBLISHED} beside gold."
        )
