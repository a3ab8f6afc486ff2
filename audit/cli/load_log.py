"""What ``audit history`` prints: the loads of a task, latest first, as a log."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from os.path import commonprefix

from audit.domain import POLICY_KINDS, JournalEntry, Options, Policies
from audit.store import Change, LoadEvent
from audit.text import listed, plural, visible

_NAMES_LISTED = 12
_ENTRIES_LISTED = 8
_TEXT = 200
_LEAD = 40  # characters shown before two long texts differ


def history_lines(events: Sequence[LoadEvent]) -> Iterator[str]:
    """The events as lines for a terminal; what is long is cut, and says of how much."""
    for event in events:
        yield f"Load {event.number}, {time_text(event.loaded_at)}, audit {visible(event.program_version, _TEXT)}"
        yield from (f"    {line}" for line in _event_lines(event))
        yield ""


def _event_lines(event: LoadEvent) -> Iterator[str]:
    sizes = [plural(event.n_items, "item")]
    if event.n_classes:
        sizes.append(plural(event.n_classes, "label"))
    sizes.append(plural(event.n_submissions, "submission"))
    yield f"then held {listed(sizes)}"
    if event.gold_changed:
        n_retired = len(event.replaced) + len(event.removed)
        yield f"gold replaced: {plural(n_retired, 'submission')} of the former gold went into history"
    for kind in ("added", "replaced", "removed"):
        names: tuple[str, ...] = getattr(event, kind)
        if names:
            yield f"{kind} {len(names):,}: {listed([visible(name) for name in names], limit=_NAMES_LISTED)}"
    yield from map(_change_line, event.changes)
    yield f"policies: {_policies(event.policies)}"
    yield from (
        f"run of {visible(each.team)}: {visible(each.run)}, because {visible(each.reason, _TEXT)}"
        for each in event.policies.chosen
    )
    for action, entries in groupby(
        sorted(event.journal, key=lambda entry: entry.action), lambda entry: entry.action
    ):
        yield from _journal_lines(action, list(entries))
    for evaluation in event.evaluations:
        parts = (
            time_text(evaluation.evaluated_at),
            f"audit {visible(evaluation.program_version, _TEXT)}",
            *_option_texts(evaluation.options),
        )
        yield f"evaluated {', '.join(parts)}: {plural(evaluation.n_flags, 'flag')}"


def _option_texts(options: Options) -> Iterator[str]:
    """The options that are not as usual, in words."""
    usual = Options()
    if not options.certainty:
        yield "without certainty"
    if options.seed != usual.seed:
        yield f"seed {options.seed}"
    if options.compare:
        yield f"compared by {listed([visible(name, _TEXT) for name in options.compare])}"


def _change_line(change: Change) -> str:
    """A change; of two long texts some words before they differ, and what follows."""
    n_alike = len(commonprefix([change.before or "", change.after or ""]))  # noqa: RUF071 - characters are meant
    if n_alike < _TEXT - _LEAD:
        start = 0
    else:
        start = (change.before or "").rfind(" ", 0, n_alike - _LEAD) + 1
    before, after = (
        "nothing" if text is None else "… " * bool(start) + visible(text[start:], _TEXT)
        for text in (change.before, change.after)
    )
    return f"{visible(change.what)}: {before} → {after}"


def _policies(policies: Policies) -> str:
    """The policies that differ from the default, as one line."""
    own = [f"{slug} = {getattr(policies, slug)}" for slug in policies.differences]
    if not own:
        return "all by default"
    return (
        f"{', '.join(own)}; {'the others' if len(own) < len(POLICY_KINDS) else 'none'} by default"
    )


def _journal_lines(action: str, entries: Sequence[JournalEntry]) -> Iterator[str]:
    """The entries of one action, the first of them where there are many."""
    for entry in entries[:_ENTRIES_LISTED]:
        is_counted = entry.count == 1 or f"{entry.count:,} " in entry.text
        if is_counted:
            count = ""
        else:
            count = f" ({entry.count:,})"
        yield f"{visible(action)} {visible(entry.subject, _TEXT)}: {visible(entry.text, _TEXT)}{count}"
    if len(entries) > _ENTRIES_LISTED:
        yield f"{visible(action)} {len(entries) - _ENTRIES_LISTED:,} more; --json has them all"


def time_text(stored: str) -> str:
    """A time of the store as people read it.

    >>> time_text("2026-11-21T02:15:28+00:00")
    '2026-11-21 02:15:28 UTC'
    """
    return visible(stored.replace("T", " ").replace("+00:00", " UTC"))
