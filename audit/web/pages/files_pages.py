"""The files: what each is, what is wrong with them, every revision before, and the settings."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from starlette.datastructures import FormData
from starlette.datastructures import UploadFile as FormFile

from audit.errors import MANIFEST, NOT_RECOGNISED, SETTINGS_FILE
from audit.service import revisions
from audit.service.file_choices import (
    CHOICES,
    NAMES,
    OF_TEAMS,
    REMOVE,
    changed_rows,
    choice_of,
    replaced_settings,
    with_choices,
    written_table,
)
from audit.service.revisions import Revision
from audit.service.rules import Act, ConflictError, RefusedError
from audit.service.settings_text import Setting, edited, names_of, settings_of_choice
from audit.text import plural
from audit.web.access import Access, needs
from audit.web.api import files as files_api
from audit.web.api import jobs as jobs_api
from audit.web.api.routing import MaybeNumber
from audit.web.first_evaluation import settings_in, table_of
from audit.web.pages.page_rendering import (
    NO_FORM,
    Fields,
    Findings,
    issue_title,
    number_of,
    rows_of,
    state_of,
    step_page,
    text_of,
    texts_of,
    to_step,
)
from audit.web.receiving import receive_file
from audit.web.schemas import NameFiles, Restore, Revise

router = APIRouter(include_in_schema=False)
# what receives files, and may be sent more than other routes
uploads = APIRouter(include_in_schema=False)
MOST_ROWS = 500  # rows of files that a page offers choices in; the others stand in files.csv


@router.get("/campaigns/{campaign}/files")
def files(
    request: Request,
    access: Annotated[Access, needs(Act.READ_FILES)],
    revision: MaybeNumber = None,
    find: Annotated[str, Query(max_length=200)] = "",
    show: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Every file with what it was taken for and what is wrong with it; or those of an earlier revision."""
    if revision is None:
        return _files_page(
            request, access, search=Search(find.strip(), show if show in SHOWN_ROWS else "")
        )
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        shown = revisions.revision_of(connection, hosted.id, revision)
    if state.head is None:
        newest = None
    else:
        newest = state.head.files
    if shown.files is None or newest is None:
        differs = None
    else:
        differs = revisions.differences(shown.files, newest)
    return step_page(
        request, access, "earlier.html.j2", state, step="files", shown=shown, differs=differs
    )


def _files_page(  # noqa: PLR0913 - what the page is shown with
    request: Request,
    access: Access,
    status: int = 200,
    *,
    problem: str = "",
    typed: str | None = None,
    search: "Search | None" = None,
) -> Response:
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        history = revisions.revisions_of(connection, hosted.id)
    findings = {**_NOTHING, **((state.head and state.head.findings) or {})}
    rows = findings["files"]
    tasks = findings["tasks"]
    issues = _shown_issues(findings, (state.reading and state.reading.outcome) or {})
    refused = {each["file"] for task in tasks for each in task["rejected"]}
    refusals = [cause for task in tasks for cause in task.get("causes", ())]
    reasons = reasons_of(findings)
    search = search or Search()
    data_files = [row["file"] for row in rows if row["is_open"] or row["kind"] != "ignore"][
        :MOST_ROWS
    ]
    found = [row for row in rows if search.finds(row, refused)]
    answered = {each["file"]: each for task in tasks for each in task["submissions"]}
    to_choose = dict.fromkeys(each["file"] for each in (*issues, *refusals) if each["choices"])
    settings = ""
    if state.head is not None:
        settings = files_api.text_of_file(access, state.head, SETTINGS_FILE)
    return step_page(
        request, access, "files.html.j2", state, step="files", status=status, findings=findings, issues=issues,
        files=found[:MOST_ROWS], n_files=len(rows), n_found=len(found), search=search, shown_rows=SHOWN_ROWS,
        reasons=reasons, n_open=sum(row["is_open"] for row in rows), choice_of=choice_of,
        choices={**CHOICES, REMOVE: "remove"}, of_teams=OF_TEAMS,
        roles=("primary", *sorted(OF_TEAMS - {"submission"})), refusals=refusals, refused=refused, answered=answered,
        has_parts=any(row["part"] for row in rows) or sum(row["kind"] == "gold" for row in rows) > 1,
        data_files=data_files, folders=folders_of(data_files), named=state.head and state.head.change.named,
        labels=labels_of(findings), systems=systems_of(findings), problem=problem, typed=typed,
        table_of={task["slug"]: table_of(task, findings) for task in tasks},
        chosen=chosen_of(findings), chosen_now=json.dumps(chosen_now(findings)),
        begun=first_rows(access, state.head, to_choose),
        settings=settings, history=history,
        limits=access.service.limits, used=access.service.data.content_of(access.campaign).n_bytes(),
    )  # fmt: skip


SHOWN_ROWS: Mapping[str, str] = {
    "": "all files",
    "open": "not used",
    "refused": "refused",
    "gold": "gold",
    "teams": "submissions and baselines",
    "others": "everything else",
}
"""The rows of the table of files that can be chosen to be shown, in words."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in the table of files."""

    text: str = ""  # part of a path, a team or a run, in any case
    show: str = ""  # which rows, by their key

    def finds(self, row: Mapping[str, Any], refused: Collection[str]) -> bool:
        """Whether a row is one of those that are looked for."""
        words = " ".join((row["file"], row["team"], row["run"])).casefold()
        return self.text.casefold() in words and self._is_shown(row, refused)

    def _is_shown(self, row: Mapping[str, Any], refused: Collection[str]) -> bool:
        match self.show:
            case "open":
                return bool(row["is_open"])
            case "refused":
                return row["file"] in refused
            case "gold":
                return bool(row["kind"] == "gold")
            case "teams":
                return bool(row["kind"] == "submission")
            case "others":
                return row["kind"] not in {"gold", "submission", ""}
            case _:
                return True


def reasons_of(findings: Findings) -> dict[str, str]:
    """Why a file is refused, or cannot be opened, by its path: whatever was chosen for it, the reason stays."""
    issues = [
        *findings["issues"],
        *(each for task in findings["tasks"] for one in task["rejected"] for each in one["issues"]),
    ]
    reasons: dict[str, str] = {}
    for issue in issues:
        for file in issue.get("files") or [issue["file"]]:
            reasons.setdefault(file, f"{issue_title(issue['slug'])}: {issue['found']}")
    return reasons


_NOTHING: Mapping[str, Any] = {
    "issues": (),
    "tasks": (),
    "files": (),
    "is_usable": False,
    "settings": None,
}


def _shown_issues(findings: Findings, failed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The issues, but for what the table of files decides: which file is gold, and which are submissions."""
    by_table = ("path =", "files =")
    return [
        {
            **each,
            "choices": [one for one in each["choices"] if not one["settings"].startswith(by_table)],
        }
        for each in (*findings["issues"], *failed.get("issues", ()))
        if not (findings["files"] and each["slug"] in NOT_RECOGNISED)
    ]


@uploads.post("/campaigns/{campaign}/files")
def add(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Add files by a form, as browsers send it without a script."""
    files = [
        each for each in fields.getlist("files") if isinstance(each, FormFile) and each.filename
    ]
    if not files:
        raise RefusedError("Choose files first.")
    kept = [
        receive_file(access, str(each.filename), each.file, each.size or 0).id for each in files
    ]
    files_api.change_files(Revise(base=number_of(fields, "base"), uploads=kept), access)
    return to_step(access, "files")


@router.post("/campaigns/{campaign}/files/restore")
def restore(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Take up an earlier revision again: all of it, or the files that are marked."""
    paths = texts_of(fields, "path")
    number = number_of(fields, "revision")
    is_whole = text_of(fields, "what") == "all"
    if not is_whole and not paths:
        raise RefusedError("Mark the files to bring back first.")
    body = Restore(base=number_of(fields, "base"), paths=None if is_whole else paths)
    files_api.restore_revision(number, body, access)
    return to_step(access, "files")


# What each file is, and the settings


@router.post("/campaigns/{campaign}/files/table")
def decide(
    request: Request, access: Annotated[Access, needs(Act.EDIT)], fields: Fields
) -> Response:
    """Keep as files.csv what somebody chose for each file, take out what files.csv replaces, and read them again."""
    rows = rows_of(fields, "file", "choice", *NAMES)
    for_many = text_of(fields, "many_choice")
    if not {choice for _, choice, *_ in rows} | {for_many} <= {*CHOICES, REMOVE}:
        raise RefusedError(NO_FORM)
    chosen = {file: dict(zip(("choice", *NAMES), values, strict=True)) for file, *values in rows}
    marked = chosen if text_of(fields, "many_all") == "yes" else texts_of(fields, "many")
    for file in marked:
        if file in chosen:
            chosen[file] |= _chosen_for_many(for_many, text_of(fields, "many_team"))
    findings = _revision(access, number_of(fields, "base")).findings or {}
    changed = changed_rows(findings.get("files", ()), chosen)
    settings = changed_settings(fields)
    said = [
        f"{file}: {CHOICES.get(each['choice'], each['choice'])} {each['team']}"
        for file, each in changed.items()
    ]
    said += _in_words(settings)
    return _kept(
        request, access, fields, said, lambda onto: _keep_table(access, onto, changed, settings)
    )


def _chosen_for_many(choice: str, team: str) -> dict[str, str]:
    """What is set for all files that are marked; what was left empty stays as it is with each."""
    stated = {"choice": choice, "team": team.strip()}
    return {name: value for name, value in stated.items() if value}


def _keep_table(
    access: Access,
    onto: int,
    changed: Mapping[str, Mapping[str, str]],
    of_columns: Sequence[Setting],
) -> None:
    revision = _revision(access, onto)
    findings = revision.findings or {}
    if "files" not in findings:
        raise ConflictError(
            "The newest files are still being read. Your choices were not kept yet."
        )
    rows = with_choices(findings["files"], changed, why="chosen on the page")
    if not rows:
        raise RefusedError("Say what at least one file is: files.csv would be empty.")
    texts = {MANIFEST: written_table(rows, files_api.text_of_file(access, revision, MANIFEST))}
    settings = findings["settings"]
    if findings["tasks"]:
        chosen_runs = findings["tasks"][0]["policies"]["chosen"]
    else:
        chosen_runs = []
    after = settings or findings["draft"]
    if replaced := [*replaced_settings(settings, rows, chosen_runs), *of_columns]:
        after = edited(after or "", replaced)
    if after and after != settings:
        texts[SETTINGS_FILE] = after
    removed = [
        file
        for file, each in changed.items()
        if each["choice"] == REMOVE and file in (revision.files or {})
    ]
    n_changed = len(changed) + len(of_columns)
    if n_changed:
        note = f"{plural(n_changed, 'choice')} in the table of files"
    else:
        note = f"{MANIFEST} written"
    files_api.keep_texts(access, onto, texts, note, removed)


@router.post("/campaigns/{campaign}/files/named")
def name_files(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Read the files again with what somebody named as gold and as submissions."""
    gold = text_of(fields, "gold")
    if not gold:
        raise RefusedError("Choose the gold file first.")
    submissions = [path for path in texts_of(fields, "submissions") if path]
    columns = {name: text_of(fields, name).strip() or None for name in ("id", "label")}
    base = number_of(fields, "base")
    files_api.name_files(
        NameFiles(base=base, gold=gold, submissions=submissions, **columns), access
    )
    return to_step(access, "files")


@router.post("/campaigns/{campaign}/files/settings")
def change(
    request: Request, access: Annotated[Access, needs(Act.EDIT)], fields: Fields
) -> Response:
    """Write into task.toml what a choice says, or what differs from the settings that a form was shown with."""
    is_choice = "section" in fields
    stated = (text_of(fields, "section"), text_of(fields, "settings"))
    if is_choice:
        changes = settings_of_choice(*stated)
    else:
        changes = changed_settings(fields)
    if not changes:
        return to_step(access, "files", "unchanged")
    return _kept(
        request,
        access,
        fields,
        _in_words(changes),
        lambda onto: files_api.keep_settings(access, onto, changes),
    )


@router.post("/campaigns/{campaign}/files/text")
def write(request: Request, access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Replace the text of task.toml; what cannot be kept is shown again, and nothing that was typed is lost."""
    text = text_of(fields, "text")
    try:
        files_api.keep_settings(access, number_of(fields, "base"), [], text)
    except (RefusedError, ConflictError) as error:
        if isinstance(error, ConflictError):
            status = 409
        else:
            status = 400
        return _files_page(request, access, status, problem=str(error), typed=text)
    return to_step(access, "files")


@router.post("/campaigns/{campaign}/evaluate/first")
def evaluate_first(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Evaluate for the first time, with what somebody said of the official metric and of the runs that count."""
    base = number_of(fields, "revision")
    skip = text_of(fields, "skip_rejected") == "yes"
    officials = dict(zip(texts_of(fields, "task"), texts_of(fields, "official"), strict=False))
    jobs_api.evaluate_first(access, base, officials, text_of(fields, "runs"), skip_rejected=skip)
    return to_step(access, "evaluate")


def _kept(
    request: Request,
    access: Access,
    fields: FormData,
    said: Sequence[str],
    keep: Callable[[int], object],
) -> Response:
    """Keep a change; where somebody was quicker, what was typed is shown, to be made on the files as they are now."""
    try:
        keep(number_of(fields, "onto" if text_of(fields, "onto") else "base"))
    except ConflictError as error:
        with access.reading() as (connection, hosted):
            state = state_of(connection, hosted)
        typed = [
            (name, value)
            for name, value in fields.multi_items()
            if name != "onto" and isinstance(value, str)
        ]
        return step_page(
            request, access, "conflict.html.j2", state, step="files", status=409, message=str(error), said=said,
            typed=typed, action=request.url.path,
        )  # fmt: skip
    return to_step(access, "files")


def _revision(access: Access, number: int) -> Revision:
    with access.reading() as (connection, hosted):
        return revisions.revision_of(connection, hosted.id, number)


def _in_words(settings: Iterable[Setting]) -> list[str]:
    return [
        f"{names_of([each])}: {'taken out' if each.value is None else each.value}"
        for each in settings
    ]


def changed_settings(fields: FormData) -> list[Setting]:
    """The settings of a form that are no longer what the page showed; one that is empty now is taken out."""
    changed = [
        Setting(tuple(tables), key, now.strip() or None)
        for path, was, now in rows_of(fields, "setting", "was", "now")
        if now.strip() != was.strip()
        for *tables, key in [_path_of(path)]
    ]
    chosen = [
        {"team": team, "run": run, "reason": reason.strip()}
        for team, run, reason in rows_of(fields, "team_of_runs", "run_of_team", "reason")
        if run
    ]
    for each in chosen:
        if not each["reason"]:
            raise RefusedError(
                f"Say why {each['run']} of {each['team']} counts: readers of the report see the reason."
            )
    if text_of(fields, "chosen") not in {"", json.dumps(chosen)}:
        changed.append(Setting((), "chosen", chosen or None))
    return changed


def _path_of(text: str) -> list[str]:
    """The tables that lead to a setting, and its name, as JSON has them."""
    with suppress(ValueError):
        path = json.loads(text)
        if isinstance(path, list) and path and all(isinstance(each, str) for each in path):
            return path
    raise RefusedError(NO_FORM)


# What is shown


def folders_of(files: Iterable[str]) -> list[str]:
    """Every folder and archive around some of these files.

    >>> folders_of(["gold.csv", "runs/a.zip/x.csv"])
    ['runs', 'runs/a.zip']
    """
    above = {str(folder) for file in files for folder in PurePosixPath(file).parents}
    return sorted(above - {"."})


def labels_of(findings: Findings) -> list[tuple[str, str]]:
    """Every label of every test set once, with its name for readers; a name in quotes is the label itself."""
    names = {each["label"]: each["name"] for task in findings["tasks"] for each in task["labels"]}
    return [(label, label if name == f"“{label}”" else name) for label, name in names.items()]


def systems_of(findings: Findings) -> dict[str, list[dict[str, Any]]]:
    """The systems of each file that has a column for each: the column, by which settings know it, name and role."""
    stated = settings_in(findings).get("teams")
    if isinstance(stated, dict):
        columns = {name: column for column, name in stated.items()}
    else:
        columns = {}
    systems: dict[str, dict[str, dict[str, Any]]] = {}
    for task in findings["tasks"]:
        for each in task["submissions"]:
            if each["file"] is not None and each["file"] == task["gold"]["file"]:
                column = columns.get(each["team"], each["team"])
                systems.setdefault(each["file"], {})[column] = {
                    **each,
                    "column": column,
                    "glob": escape(column),
                }
    return {file: list(of_file.values()) for file, of_file in systems.items()}


def chosen_of(findings: Findings) -> list[tuple[str, Sequence[str], str, str]]:
    """Each team of several runs, its runs, the one that was chosen and why; empty texts where the policy decides."""
    runs_of_team: dict[str, list[str]] = {}
    for each in (each for task in findings["tasks"] for each in task["submissions"] if each["run"]):
        if each["run"] not in runs_of_team.setdefault(each["team"], []):
            runs_of_team[each["team"]].append(each["run"])
    chosen = {each["team"]: (each["run"], each["reason"]) for each in chosen_now(findings)}
    several = sorted((team, runs) for team, runs in runs_of_team.items() if len(runs) > 1)
    return [(team, runs, *chosen.get(team, ("", ""))) for team, runs in several]


def chosen_now(findings: Findings) -> list[Mapping[str, Any]]:
    """The runs that count whatever the policy says, by team."""
    if findings["tasks"]:
        chosen = findings["tasks"][0]["policies"]["chosen"]
    else:
        chosen = ()
    return sorted(chosen, key=lambda each: str(each["team"]))


_ROWS = 6
_LONGEST_ROW = 120
_LOOKED_AT = 8 << 10


def first_rows(
    access: Access, revision: Revision | None, paths: Iterable[str]
) -> dict[str, list[str]]:
    """The first rows of text files, so that who decides sees what they decide on."""
    files = (revision and revision.files) or {}
    content = access.service.data.content_of(access.campaign)
    rows = {}
    for path in paths:
        if path in files:
            with content.path_of(files[path].sha256).open("rb") as file:
                start = file.read(_LOOKED_AT)
            if b"\0" not in start:
                rows[path] = [
                    line[:_LONGEST_ROW]
                    for line in start.decode("utf-8", "replace").splitlines()[:_ROWS]
                ]
    return rows
