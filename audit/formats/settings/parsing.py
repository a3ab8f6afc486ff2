"""task.toml → Settings, with an issue for everything in it that is not as the docs say."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from audit.domain import BALANCED, OBSERVED, STRICT_POLICIES, Campaign, ChosenRun, Options, Policies, Role, SourceFile
from audit.errors import SETTINGS_FILE, InputError, Issue, MetricNameError, UsageError
from audit.formats.settings.allowed_values import (
    CHOSEN,
    NAMED_TABLES,
    OWN,
    TABLES,
    TOP,
    Checker,
    PathOutsideError,
    UnusableValueError,
    any_text,
    latex_text,
    one_of,
    positive_share,
    shown_value,
    spelling,
)
from audit.formats.settings.contradictions import Contradiction, LabelSettings, keys_of, wide_contradictions
from audit.formats.settings.task_settings import Settings, Wide
from audit.formats.settings.tomlfile import (
    Place,
    decoded,
    inherited,
    line_of,
    lines_of_part,
    lines_of_settings,
    parsed,
)
from audit.text import decimal_text, did_you_mean, listed, plural, quoted, slug_of

_ONE_RULE = "one rule for all test sets, at the top of the file"
_PREVALENCE_NAME = re.compile(r"[^\W_][\w\-]{0,59}")


def parse_settings(content: bytes, part: str | None = None) -> Settings:
    """Settings from the bytes of task.toml: those of the campaign, or of one of its test sets.

    Parameters
    ----------
    content : bytes
        The file.
    part : str, optional
        Which test set, where there are several.

    Raises
    ------
    InputError
        bad-toml, unknown-setting, bad-setting, path-outside and bad-prevalence: every issue found.
    UsageError
        When there are several test sets and none of this name is asked for.
    """
    every = {settings.part: settings for settings in parse_parts(content)}
    if part not in every:
        names = [name for name in every if name is not None]
        if not names:
            raise UsageError(f"{SETTINGS_FILE} has one test set only, and none is called {quoted(part or '')}.")
        shown = listed([quoted(name) for name in names])
        raise UsageError(f"{SETTINGS_FILE} has the test sets {shown}; say which is meant: --part {quote(names[0])}")
    return every[part]


def stated_slug(campaign: Campaign) -> str | None:
    """The slug that task.toml states; None where the task is called after the folder."""
    source = campaign.settings
    return None if source is None or source.content is None else parse_settings(source.content, campaign.task.part).slug


def latex_names(campaign: Campaign) -> Mapping[str, str]:
    """The names of teams in LaTeX files by [latex_names], under their names for readers."""
    source = campaign.settings
    return {} if source is None else parse_settings(source.content, campaign.task.part).latex_names


def parse_parts(content: bytes) -> tuple[Settings, ...]:
    """The settings of every test set, those of [subtask.NAME] over those at the top; of one without subtasks.

    Raises
    ------
    InputError
        As `parse_settings`, of all of them.
    """
    text = decoded(content)
    tree, lines, source = parsed(text), lines_of_settings(text), SourceFile.of(SETTINGS_FILE, content)
    subtasks = tree.pop("subtask", None)
    if subtasks is None:
        return (_settings(tree, lines, source),)
    issues = _issues_of_subtasks(subtasks, lines)
    parts: list[Settings] = []
    for name, own in {} if issues else subtasks.items():
        try:
            parts.append(_settings(inherited(tree, own, name), lines_of_part(lines, name), source, name))
        except InputError as error:
            issues.extend(issue for issue in error.issues if issue not in issues)
    issues.extend(_issues_of_rule(parts, subtasks, lines))
    if issues:
        raise InputError(sorted(issues, key=lambda issue: issue.lines))
    patterns = {settings.files for settings in parts if settings.files is not None}
    return tuple(
        replace(settings, elsewhere=tuple(sorted(patterns - {settings.files}, key=lambda pattern: pattern.text)))
        for settings in parts
    )


def _issues_of_subtasks(subtasks: object, lines: Mapping[Place, int]) -> list[Issue]:
    """The issues of the headings [subtask.NAME]."""
    check = _Check(lines)
    if not isinstance(subtasks, dict) or not subtasks or not all(isinstance(own, dict) for own in subtasks.values()):
        check.bad(("subtask",), "subtask", "a table for each: [subtask.NAME]")
        return check.issues
    by_slug: dict[str, str] = {}
    for name, own in subtasks.items():
        other = by_slug.setdefault(slug_of(name), name)
        if not name.strip() or other != name:
            expected = "names that differ in letters or digits, of which the first 100 count"
            check.bad(("subtask", name), f"the subtask {quoted(name)}", expected)
        if "slug" in own:
            defect = "the slug of a subtask is that of the campaign with its name"
            check.bad(("subtask", name, "slug"), defect, "slug at the top of the file")
    return check.issues


def _issues_of_rule(
    parts: Sequence[Settings], subtasks: Mapping[str, Mapping[str, Any]], lines: Mapping[Place, int]
) -> list[Issue]:
    """A subtask that states a rule for all test sets which another one has not."""
    check = _Check(lines)
    if len({settings.overall for settings in parts}) > 1:
        check.refuse(
            (
                ("subtask", name, "overall"),
                f"overall = {shown_value(own['overall'])} for this test set alone",
                _ONE_RULE,
            )
            for name, own in subtasks.items()
            if "overall" in own
        )
    return check.issues


def _settings(
    tree: dict[str, Any], lines: Mapping[Place, int], source: SourceFile, part: str | None = None
) -> Settings:
    """The checked settings of one test set."""
    check = _Check(lines)
    rest = dict(tree)
    chosen = check.chosen(rest.pop("chosen", []))
    tables = {name: check.table(name, rest.pop(name, None)) for name in (*TABLES, *NAMED_TABLES)}
    top = check.settings((), rest, TOP, also=[*tables, "chosen", "subtask"])
    of_table = {name: check.settings((name,), tables[name] or {}, TABLES[name]) for name in TABLES}
    teams = check.names("teams", tables["teams"] or {}, any_text)
    label_names = check.names("label_names", tables["label_names"] or {}, any_text)
    latex_names = check.names("latex_names", tables["latex_names"] or {}, latex_text)
    roles = check.names("roles", tables["roles"] or {}, one_of(*(role.value for role in Role)))
    prevalences = check.prevalences(tables["prevalence"] or {})
    label_settings = LabelSettings(
        top.get("labels"),
        check.texts("aliases", tables["aliases"]),
        check.texts("combinations", tables["combinations"]),
        fold_case=top.pop("fold_case", False),
    )
    check.refuse(label_settings.contradictions())
    own = {name: {key: of_table[name].pop(key) for key in keys if key in of_table[name]} for name, keys in OWN.items()}
    keys = {}
    for name in OWN:
        keys[name], contradictions = keys_of(of_table[name], label_settings)
        check.refuse(((name, *place), words, expected) for place, words, expected in contradictions)
    if keys["gold"].score:
        check.bad(("gold", "score"), "score beside label in gold", "labels alone: gold has no scores to keep")
    of_wide = wide_contradictions(own["wide"], label_settings)
    check.refuse((("wide", *place), words, expected) for place, words, expected in of_wide)
    above = own["wide"].pop("above", None)
    if tables["wide"] is not None and (tables["gold"] is not None or tables["submissions"] is not None):
        check.bad(("wide",), "[wide] beside [gold] or [submissions]", "either [wide], or the other two")
    stratified = [own[name].pop("stratified", False) for name in ("gold", "wide")]
    top |= check.official(of_table["official"], top)
    if part is None:
        check.refuse(
            ((name,), f"{name} = {shown_value(top[name])}", "several test sets: [subtask.NAME]")
            for name in ("overall", "weight")
            if name in top
        )
    policies = of_table["policies"]
    if top.pop("strict", False):
        check.contradictions(policies, STRICT_POLICIES)
        policies |= {"missing": STRICT_POLICIES.missing, "unusable": STRICT_POLICIES.unusable}
    if check.issues:
        raise InputError(sorted(check.issues, key=lambda issue: issue.lines))
    return Settings(
        **top,
        **own["submissions"],
        gold_path=own["gold"].get("path"),
        gold=keys["gold"],
        submissions=keys["submissions"],
        stratified=any(stratified),
        wide=None if tables["wide"] is None else Wide(**own["wide"], keys=replace(keys["wide"], above=above)),
        teams=teams,
        label_names=label_names,
        latex_names=latex_names,
        roles={name: Role(role) for name, role in roles.items()},
        prevalences=prevalences,
        policies=Policies(**policies, chosen=chosen),
        published=of_table["published"].get("path"),
        options=Options(**of_table["resampling"]),
        part=part,
        source=source,
        lines=check.lines,
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


class _Check:
    """Checks the settings one by one, and keeps what is wrong with them."""

    def __init__(self, lines: Mapping[Place, int]) -> None:
        self.lines = lines
        self.issues: list[Issue] = []

    def add(self, slug: str, place: Place, defect: str, expected: str | None = None) -> None:
        self.issues.append(Issue.of(slug, SETTINGS_FILE, defect, lines=line_of(self.lines, place), expected=expected))

    def bad(self, place: Place, defect: str, expected: str) -> None:
        self.add("bad-setting", place, defect, expected)

    def table(self, name: str, value: object) -> dict[str, Any] | None:
        """The table as a dict; None where there is none."""
        if value is None or isinstance(value, dict):
            return value
        self.bad((name,), f"{name} = {shown_value(value)}", f"a table: [{name}]")
        return {}

    def settings(
        self, place: Place, table: Mapping[str, Any], allowed: Mapping[str, Checker], also: Iterable[str] = ()
    ) -> dict[str, Any]:
        """The checked values of the keys that a table may have."""
        checked: dict[str, Any] = {}
        for key, value in table.items():
            if key not in allowed:
                self._unknown((*place, key), [*allowed, *also])
                continue
            try:
                checked[key] = allowed[key](value)
            except UnusableValueError as refusal:
                self.bad((*place, key), f"{key} = {shown_value(value)}", str(refusal))
            except PathOutsideError:
                self.add("path-outside", (*place, key), f"{key} = {shown_value(value)}")
        return checked

    def _unknown(self, place: Place, allowed: Iterable[str]) -> None:
        *table, key = place
        where = f"in [{'.'.join(table)}]" if table else "at the top"
        allowed = list(allowed)
        expected = f"one of {listed(allowed, 'or')}"
        self.add("unknown-setting", place, f"{quoted(key)} {where}.{did_you_mean(key, allowed)}", expected)

    def contradictions(self, policies: Mapping[str, str], strict: Policies) -> None:
        """Policies beside ``strict = true`` that say otherwise."""
        for slug in ("missing", "unusable"):
            if policies.get(slug, "reject") != getattr(strict, slug):
                self.bad(("policies", slug), f'{slug} = "{policies[slug]}" beside strict = true', "one of the two")

    def official(self, official_table: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, str]:
        """The official metric that [official] makes of several scores; nothing where there is none."""
        setting = "mean_rank_of" if "mean_rank_of" in official_table else "mean_of"
        scores, weights = official_table.get(setting, ()), official_table.get("weights")
        if {"mean_of", "mean_rank_of"} <= set(official_table):
            self.bad(("official", setting), "mean_rank_of beside mean_of", "one of the two")
        if scores and "official_metric" in top:
            self.bad(("official", setting), f"{setting} beside official_metric", "one of the two")
        for score in scores:
            if not _is_one_score(score):
                defect = f"{quoted(score)} in {setting}"
                self.bad(("official", setting), defect, "one score in each text, without a weight")
        if weights is not None and len(weights) != len(scores):
            defect = f"{plural(len(weights), 'weight')} for {plural(len(scores), 'score')} in {setting}"
            self.bad(("official", "weights"), defect, "one for each score, in their order")
        factors = [""] * len(scores) if weights is None else [f"{decimal_text(weight)}*" for weight in weights]
        terms = [factor + score for factor, score in zip(factors, scores, strict=False)]
        head = "mean_rank" if setting == "mean_rank_of" else "mean"
        return {"official_metric": f"{head}({','.join(terms)})"} if scores else {}

    def names(self, name: str, table: Mapping[str, Any], checker: Checker) -> dict[str, str]:
        """A table whose keys are names that the organiser gives."""
        return self.settings((name,), table, dict.fromkeys(table, checker))

    def chosen(self, entries: object) -> tuple[ChosenRun, ...]:
        """The [[chosen]] tables, each with all it needs."""
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.bad(("chosen",), f"chosen = {shown_value(entries)}", "tables in double brackets: [[chosen]]")
            return ()
        runs = []
        for number, entry in enumerate(entries, start=1):
            place = ("chosen", str(number))
            checked = self.settings(place, entry, CHOSEN)
            if missing := [key for key in CHOSEN if key not in entry]:
                self.bad(place, f"[[chosen]] without {listed(missing)}", "team, run and reason")
            elif len(checked) == len(CHOSEN):
                runs.append(ChosenRun(**checked))
        return tuple(runs)

    def texts(self, name: str, table: Mapping[str, Any] | None) -> dict[str, str]:
        """A table of the organiser's own texts, like [aliases]."""
        return self.settings((name,), table or {}, dict.fromkeys(table or {}, spelling))

    def refuse(self, contradictions: Iterable[Contradiction]) -> None:
        """Settings that do not go together: each with its place, what was found, and what was expected."""
        for place, defect, expected in contradictions:
            self.bad(place, defect, expected)

    def prevalences(self, table: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """The [prevalence.NAME] tables; that they name every class is checked when gold is known."""
        shares_by_name: dict[str, dict[str, float]] = {}
        for name, shares in table.items():
            place = ("prevalence", name)
            if not _PREVALENCE_NAME.fullmatch(name) or name in {OBSERVED.name, BALANCED.name}:
                self.bad(
                    place, f"the prevalence {quoted(name)}", "letters, digits and hyphens; not observed or balanced"
                )
            elif not isinstance(shares, dict):
                self.bad(place, f"{name} = {shown_value(shares)}", f"a table: [prevalence.{name}]")
            else:
                shares_by_name[name] = self._shares(place, shares)
        return shares_by_name

    def _shares(self, place: Place, shares: Mapping[str, Any]) -> dict[str, float]:
        checked: dict[str, float] = {}
        for label, share in shares.items():
            try:
                checked[label] = positive_share(share)
            except UnusableValueError as refusal:
                self.add("bad-prevalence", (*place, label), f"{label} = {shown_value(share)}", str(refusal))
        return checked
