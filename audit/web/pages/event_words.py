"""The log as a person would write it: "Ada exported release 2"."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2.filters import do_filesizeformat

from audit.service.events import Event
from audit.text import listed, plural, visible

_LONGEST = 120
Detail = Mapping[str, Any]


def worded(events: Sequence[Event]) -> list[tuple[Event, str]]:
    """Each event with its sentence."""
    return [(event, sentence_of(event)) for event in events]


def sentence_of(event: Event) -> str:
    """Who did what, in a sentence without its full stop.

    >>> sentence_of(Event(1, "", "Ada", "asked for a job", {"job": 7, "kind": "export", "release": 2}))
    'Ada exported release 2'
    >>> sentence_of(Event(1, "", None, "erased a person", {}))
    'Somebody was erased'
    """
    if event.person:
        who = visible(event.person, 60)
    else:
        who = "The service"
    if event.act in _WITHOUT_PERSON:
        return _WITHOUT_PERSON[event.act]
    words = _WORDS.get(event.act)
    return f"{who} {words(event.detail) if words else event.act}"


_WITHOUT_PERSON = {"erased a person": "Somebody was erased"}


def _shown(value: object) -> str:
    return visible(str(value), _LONGEST)


def _in_quotes(value: object) -> str:
    return f"“{_shown(value)}”"


def _release(detail: Detail) -> str:
    if "release" in detail:
        return f"release {detail['release']}"
    return "the audit"


def _file(detail: Detail) -> str:
    if "size" in detail:
        size = f" ({do_filesizeformat(detail['size'], binary=True)})"
    else:
        size = ""
    return f"uploaded {_shown(detail['path'])}{size}"


def _files(detail: Detail) -> str:
    if detail.get("note"):
        note = f": {_shown(detail['note'])}"
    else:
        note = ""
    return f"made revision {detail['revision']} of the files{note}"


def _job(detail: Detail) -> str:
    if "revision" in detail:
        revision = f"revision {detail['revision']} of the files"
    else:
        revision = "the files"
    words = {
        "read": f"had {revision} read",
        "evaluate": f"had {revision} evaluated",
        "export": f"exported {_release(detail)}",
        "anonymise": f"had {_release(detail)} written with numbers for teams",
        "differ": f"compared {_release(detail)} with an earlier one",
        "ask": f"asked {_release(detail)} a question",
    }
    if "former" in detail:
        words["differ"] = f"compared {_release(detail)} with release {detail['former']}"
    return words.get(detail["kind"], f"asked for {_shown(detail['kind'])}")


_JOB_NAMES = {
    "read": "the reading of files",
    "evaluate": "an evaluation",
    "export": "an export",
    "anonymise": "the writing with numbers for teams",
    "differ": "a comparison",
    "ask": "a question",
}


def _cancelled(detail: Detail) -> str:
    return f"cancelled {_JOB_NAMES.get(detail.get('kind', ''), 'a job')} (job {detail['job']})"


def _role(detail: Detail) -> str:
    if detail.get("role"):
        return f" as {'an' if detail['role'] == 'organiser' else 'a'} {detail['role']}"
    return ""


def _link(detail: Detail) -> str:
    if detail.get("anonymous"):
        teams = "numbers for teams"
    else:
        teams = "the teams' names"
    return f"made link {detail['link'][:6]} to release {detail['release']}, with {teams}"


def _evaluated(detail: Detail) -> str:
    return f"received release {detail['release']}, the evaluation of revision {detail['revision']}"


def _password(detail: Detail) -> str:
    ended = [plural(detail.get("sessions", 0), "session")]
    if detail.get("tokens"):
        names = listed([_in_quotes(each) for each in detail["tokens"]], limit=5)
        ended.append(f"{'token' if len(detail['tokens']) == 1 else 'tokens'} {names}")
    return f"changed the password, which ended {' and '.join(ended)}"


def _token(detail: Detail) -> str:
    role = detail["role"]
    return f"made the token {_in_quotes(detail['label'])} for what {'an' if role == 'organiser' else 'a'} {role} may do"


def _given_back(detail: Detail) -> str:
    return f"freed the space of {plural(detail['revisions'], 'earlier revision')}"


def _what_counts(detail: Detail) -> str:
    metrics = [_shown(each) for each in detail["official"] if each != "none"]
    if metrics:
        words = f"said that the official metric is {listed(metrics)}"
    else:
        words = "said that no metric was announced"
    if detail.get("runs"):
        return f"{words}; runs that count: {_shown(detail['runs'])}"
    return words


_WORDS: dict[str, Callable[[Detail], str]] = {
    "uploaded a file": _file,
    "changed files": _files,
    "gave back the space of earlier revisions": _given_back,
    "asked for a job": _job,
    "cancelled a job": _cancelled,
    "evaluated": _evaluated,
    "published": lambda detail: f"published release {detail['release']}",
    "said what counts": _what_counts,
    "withdrew": lambda detail: f"withdrew release {detail['release']}: {_shown(detail['reason'])}",
    "made a link": _link,
    "revoked a link": lambda detail: f"ended link {detail['link'][:6]}",
    "invited somebody": lambda detail: f"invited somebody{_role(detail)}",
    "revoked an invitation": lambda detail: f"ended an invitation{_role(detail)}",
    "accepted an invitation": lambda detail: f"accepted an invitation{_role(detail)}",
    "removed a member": lambda detail: f"removed {_shown(detail['member'])} from the audit",
    "handed the campaign over": lambda detail: f"handed the audit over to {_shown(detail['to'])}",
    "began the campaign": lambda detail: f"began the audit {_in_quotes(detail['title'])}",
    "renamed the campaign": lambda detail: f"renamed the audit to {_in_quotes(detail['title'])}",
    "removed the campaign": lambda _: "removed the audit",
    "brought the campaign back": lambda _: "brought the audit back",
    "made a token": _token,
    "revoked a token": lambda detail: (
        f"ended the token {_in_quotes(detail['label'])}" if "label" in detail else "ended a token"
    ),
    "changed the password": _password,
}
"""What was done, by the word that the log keeps; an act without an entry is worded already."""
