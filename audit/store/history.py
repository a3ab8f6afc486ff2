"""What a store holds, in short, and the history of a task: what each load changed, and what was evaluated of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased, selectinload

from audit.domain import (
    POLICY_KINDS,
    Feature,
    JournalEntry,
    LabelSet,
    Options,
    Policies,
    Role,
    ScoreKey,
)
from audit.domain.privacy import ItemIds
from audit.store.column_types import options_of, value_of
from audit.store.loading import existing, journal_of, labels_of, outline_of, rejections_of, task_of
from audit.store.saving import Name, shown
from audit.store.tables import (
    EvaluationRow,
    GoldRow,
    ItemRow,
    LoadRow,
    SourceFileRow,
    SubmissionRow,
    TaskRow,
)
from audit.text import decimal_text, listed, plural


def n_labels(label_set: LabelSet) -> int:
    """How many labels there are; none where items have numbers."""
    if label_set.supports(Feature.CLASSES):
        return len(label_set)
    return 0


@dataclass(frozen=True)
class TaskSummary:
    """A task in the store."""

    slug: str
    title: str
    n_items: int
    n_classes: int
    n_submissions: int
    official_metric: ScoreKey | None
    loaded_at: str
    family: str | None = None
    part: str | None = None


@dataclass(frozen=True)
class SubmissionSummary:
    """A submission in the store, without its predictions."""

    team: str
    run: str | None
    path: str | None
    sha256: str | None
    n_missing: int
    n_unusable: int
    loaded_at: str
    replaced_at: str | None
    role: Role


def task_summaries(session: Session) -> Iterator[TaskSummary]:
    """Every task as its latest load left it, in the order of their slugs, after comparing it with its fingerprint."""
    latest = select(func.max(LoadRow.id)).group_by(LoadRow.task_id)
    loads = (
        select(LoadRow).join(TaskRow, LoadRow.task_id == TaskRow.id).where(LoadRow.id.in_(latest))
    )
    for load in session.scalars(loads.order_by(TaskRow.slug)):
        outline = outline_of(session, load)
        gold = existing(load.gold)
        if outline.gold.n_items != gold.n_items:
            raise ValueError("not as many items as it says")
        task = outline.task
        of_gold = SubmissionRow.gold_id == gold.id
        current = select(func.count()).where(of_gold, SubmissionRow.replaced_in.is_(None))
        yield TaskSummary(
            slug=task.slug,
            title=task.title,
            n_items=gold.n_items,
            n_classes=n_labels(task.label_set),
            n_submissions=session.scalars(current).one(),
            official_metric=task.official_metric,
            loaded_at=load.loaded_at,
            family=task.family,
            part=task.part,
        )


def submission_summaries(session: Session, task_id: int) -> Iterator[SubmissionSummary]:
    """A task's submissions: the current ones in their order, then those of history, latest first."""
    row = SubmissionRow
    loaded = aliased(LoadRow)
    replaced = aliased(LoadRow)
    columns = (
        row.team,
        row.run,
        row.path,
        SourceFileRow.sha256,
        row.n_missing,
        row.n_unusable,
        loaded.loaded_at,
    )
    submissions = (
        select(*columns, replaced.loaded_at.label("replaced_at"), row.role)
        .join(GoldRow, row.gold_id == GoldRow.id)
        .join(loaded, row.loaded_in == loaded.id)
        .outerjoin(replaced, row.replaced_in == replaced.id)
        .outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
        .where(GoldRow.task_id == task_id)
        .order_by(row.replaced_in.desc().nulls_first(), row.position, row.id)
    )
    for stored in session.execute(submissions).mappings():
        yield SubmissionSummary(**{**stored, "role": Role(stored["role"])})


_SHORT = 12  # characters of a digest that tell two apart

_FILES = {
    "gold": "gold file",
    "groups": "file of groups",
    "label-names": "file of label names",
    "roster": "files.csv",
    "settings": "settings file",
    "published": "published scores",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A thing that a load says in another way than the load before it."""

    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class EvaluationEvent:
    """An evaluation of what a load left."""

    evaluated_at: str
    program_version: str
    signature: str
    options: Options
    n_flags: int


@dataclass(frozen=True)
class LoadEvent:
    """A load that changed something."""

    number: int
    loaded_at: str
    program_version: str
    n_items: int
    n_classes: int
    n_submissions: int
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    gold_changed: bool
    changes: tuple[Change, ...]
    policies: Policies
    journal: tuple[JournalEntry, ...]
    evaluations: tuple[EvaluationEvent, ...]


def history_of(session: Session, task_id: int) -> tuple[LoadEvent, ...]:
    """Every load of a task, latest first."""
    parts = selectinload(LoadRow.gold), selectinload(LoadRow.files)
    loads = session.scalars(
        select(LoadRow).where(LoadRow.task_id == task_id).order_by(LoadRow.id).options(*parts)
    ).all()
    digests = dict(session.execute(select(SourceFileRow.id, SourceFileRow.sha256)).all())
    brought, ended = _brought_and_ended(session, task_id)
    evaluations = _evaluations(session, task_id)
    secret = {gold_id: _item_ids(session, gold_id) for gold_id in {load.gold_id for load in loads}}
    texts = [_texts_of_load(load, digests, secret[load.gold_id]) for load in loads]
    current: dict[Name, None] = {}
    events = []
    for place, load in enumerate(loads):
        gold = existing(load.gold)
        new = brought[load.id]
        over = ended[load.id]
        current = {name: None for name in current if name not in over} | new
        changes: tuple[Change, ...] = ()
        if place > 0:
            changes = tuple(_changes(texts[place - 1], texts[place]))
        event = LoadEvent(
            number=place + 1,
            loaded_at=load.loaded_at,
            program_version=load.program_version,
            n_items=gold.n_items,
            n_classes=n_labels(task_of(load).label_set),
            n_submissions=len(current),
            added=_shown(name for name in new if name not in over),
            replaced=_shown(name for name in new if name in over),
            unchanged=_shown(name for name in current if name not in new),
            removed=_shown(name for name in over if name not in new),
            gold_changed=place > 0 and loads[place - 1].gold_id != load.gold_id,
            changes=changes,
            policies=task_of(load).policies,
            journal=secret[load.gold_id].of_journal(journal_of(load)),
            evaluations=tuple(evaluations[load.id]),
        )
        events.append(event)
    return tuple(reversed(events))


def _item_ids(session: Session, gold_id: int) -> ItemIds:
    """The ids of a gold, which the journal of a load may quote and a history must not."""
    ids = session.scalars(select(ItemRow.external_id).where(ItemRow.gold_id == gold_id)).all()
    return ItemIds.of(
        [each for each in ids if each is not None], labels_of(session.get_one(GoldRow, gold_id))
    )


def _shown(names: Iterable[Name]) -> tuple[str, ...]:
    return tuple(map(shown, names))


def _brought_and_ended(session: Session, task_id: int) -> "tuple[_NamesOfLoads, _NamesOfLoads]":
    """The submissions that each load brought, and those that it ended, in their order."""
    row = SubmissionRow
    columns = select(row.team, row.run, row.loaded_in, row.replaced_in).join(
        GoldRow, row.gold_id == GoldRow.id
    )
    rows = session.execute(columns.where(GoldRow.task_id == task_id).order_by(row.position, row.id))
    brought: _NamesOfLoads = defaultdict(dict)
    ended: _NamesOfLoads = defaultdict(dict)
    for team, run, loaded_in, replaced_in in rows:
        brought[loaded_in][team, run] = None
        ended[replaced_in][team, run] = None
    return brought, ended


# names in their order, by the id of a load
_NamesOfLoads = defaultdict[int | None, dict[Name, None]]


def _evaluations(session: Session, task_id: int) -> defaultdict[int, list[EvaluationEvent]]:
    """The evaluations of each load, latest first."""
    row = EvaluationRow
    columns = select(
        row.load_id, row.evaluated_at, row.program_version, row.signature, row.options, row.n_flags
    )
    rows = session.execute(
        columns.join(LoadRow, row.load_id == LoadRow.id)
        .where(LoadRow.task_id == task_id)
        .order_by(row.id.desc())
    )
    of_load: defaultdict[int, list[EvaluationEvent]] = defaultdict(list)
    for load_id, evaluated_at, program_version, signature, options, n_flags in rows:
        event = EvaluationEvent(
            evaluated_at, program_version, signature, options_of(options), n_flags
        )
        of_load[load_id].append(event)
    return of_load


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    for subject in dict.fromkeys((*before, *after)):
        if before.get(subject) != after.get(subject):
            yield Change(subject, before.get(subject), after.get(subject))


def _texts_of_load(load: LoadRow, digests: Mapping[int, str], secret: ItemIds) -> Mapping[str, str]:
    """All that a load says beside its submissions, as text by what it is about; what is not said is not there."""
    gold = existing(load.gold)
    task = task_of(load)
    texts: dict[str, str | None] = {
        "title": task.title,
        "note": task.note or None,
        "family": task.family,
        "part": task.part,
        "overall rule": task.overall,
        "weight": None,
        "gold": f"{plural(gold.n_items, 'item')} ({gold.digest[:_SHORT]})",
        "unit of groups": gold.unit,
        "slices": ", ".join(f"{name} ({len(values)})" for name, values in gold.slices) or None,
        "class counts": None,
        **_texts_of_labels(task.label_set),
        "scores for": ", ".join(task.scored_labels) or None,
        "official metric": None,
        "official decimals": None,
    }
    if task.weight != 1:
        texts["weight"] = decimal_text(task.weight)
    if gold.stratified:
        texts["class counts"] = "fixed by design"
    if task.official_metric is not None:
        texts["official metric"] = str(task.official_metric)
    if task.official_decimals is not None:
        texts["official decimals"] = str(task.official_decimals)
    for slug in POLICY_KINDS:
        texts[f"policy {slug}"] = getattr(task.policies, slug)
    for chosen in task.policies.chosen:
        texts[f"run of {chosen.team}"] = f"{chosen.run}: {chosen.reason}"
    for prevalence in task.prevalences:
        shares = [f"{label} {share:g}" for label, share in prevalence.shares]
        texts[f"prevalence {prevalence.name}"] = ", ".join(shares)
    rejected = [rejection.path for rejection in rejections_of(load)]
    texts["assumptions"] = secret.withheld(" ".join(task.assumptions)) or None
    texts["rejected files"] = listed(rejected, limit=5) or None
    texts["ignored files"] = listed(value_of(tuple[str, ...], load.ignored), limit=5) or None
    files: dict[str, list[str]] = {}
    for file in load.files:
        digest = existing(digests.get(file.source_file_id))
        files.setdefault(_FILES[file.kind], []).append(f"{file.path} ({digest[:_SHORT]})")
    for subject, words in files.items():
        texts[subject] = ", ".join(words)
    return {subject: text for subject, text in texts.items() if text is not None}


def _texts_of_labels(label_set: LabelSet) -> dict[str, str | None]:
    """What a load says of its label set."""
    declared = "no"
    if label_set.declared:
        declared = "yes"
    return {
        "label set": ", ".join(label_set),
        "label names": ", ".join(label_set.names) or None,
        "label set declared": declared,
        "scale": ", ".join(f"{value:g}" for value in label_set.scale) or None,
        "rest class": label_set.rest,
    }
