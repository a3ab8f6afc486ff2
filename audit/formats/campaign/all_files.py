"""Gold and submissions: every file read and aligned, whatever is wrong with others."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from audit.domain import (
    Gold,
    JournalEntry,
    LabelSet,
    LikelyGroups,
    Origin,
    PackedCodes,
    Role,
    SourceFile,
    Submission,
)
from audit.domain.tags import are_tags
from audit.errors import MANIFEST, SETTINGS_FILE, Choice, InputError, Issue, MetricNameError
from audit.execution import THIS_PROCESS, Executor, Progress, counted
from audit.formats.align.alignment import Checked, Target
from audit.formats.align.gold import build_gold
from audit.formats.align.groups import suggestions
from audit.formats.align.repeated_ids import id_choices
from audit.formats.campaign import conventions
from audit.formats.campaign.claims import claims_of, role_of, shown_name
from audit.formats.campaign.number_files import (
    GoldRatings,
    ItemList,
    build_ratings,
    check_scores,
    in_numbers,
    item_list,
    items_of_scores,
    joined_tables,
    target_of_numbers,
    wanted_tables,
)
from audit.formats.campaign.set_files import GoldSets, Pooled, gold_sets
from audit.formats.campaign.submission import GoldFile, checked, journal_of_gold
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.files.tree import Tree
from audit.formats.numbers.items import sentence_on_zeros, without_items_that_nobody_has
from audit.formats.numbers.rating_tables import number_table
from audit.formats.numbers.score_formats import ScoreTable
from audit.formats.recognise import offering, read_table, stated_by
from audit.formats.settings.answers import labels_in_one
from audit.formats.settings.layout import GroupFile, toml_list
from audit.formats.settings.manifest import FileRow, bad_manifest
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.parsed import Table, TaskFacts, capped
from audit.formats.wide import SILENT_WIDE, looks_wide, read_wide
from audit.text import listed, natural_order, plural, quoted, slugify, visible

MUCH = 50_000_000
"""Below this size in bytes, worker processes cost more than they save: each starts as slowly as some MB are read."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of reading one submission file."""

    claim: FileRow  # the path, team and run of the file
    team: str  # its name for readers
    role: Role  # what the run is to the campaign
    checked: Checked  # what was found in it
    source: SourceFile | None = None
    items: PackedCodes | None = None
    """Of sets, the codes of the pool's items in place of the units'."""

    @cached_property
    def submission(self) -> Submission | None:
        """The submission under its team's name; None where it is rejected."""
        claim = self.claim
        found = self.checked
        if found.codes is None:
            return None
        return Submission(
            self.team,
            found.codes if self.items is None else self.items,
            claim.run or None,
            found.unusable_labels,
            found.issues,
            self.source,
            self.role,
            Origin(claim.affiliation or None, claim.paper or None),
            found.scores,
        )

    def changed(self, **parts: Any) -> Self:  # noqa: ANN401 - of what was found
        """The answer with something else found."""
        return replace(self, checked=replace(self.checked, **parts))


def read_claims(
    tree: Tree,
    gold: GoldFile,
    claims: Sequence[FileRow],
    executor: Executor,
    on_progress: Progress | None,
) -> list[Answer]:
    """Every submission in the order of the claims, whatever is wrong with it."""
    is_worth_it = tree.size(claim.file for claim in claims) >= MUCH
    if not (is_worth_it and not isinstance(gold, GoldSets)):
        executor = THIS_PROCESS
    return list(counted(executor.map(read_claim, (tree, gold), claims), len(claims), on_progress))


def read_claim(context: tuple[Tree, GoldFile], claim: FileRow) -> Answer:
    """One submission, whatever is wrong with it."""
    tree, gold = context
    settings = gold.settings
    whose = claim, shown_name(claim, settings), role_of(claim, settings.toml.roles) or Role.PRIMARY
    try:
        data = bytes_of(tree, claim.file)
    except InputError as error:
        return Answer(*whose, Checked(claim.file, None, issues=error.issues))
    read = gold.read(claim.file, data, settings.of_submission(claim.file, claim.run, claim.team))
    return Answer(*whose, read, SourceFile.of(claim.file, data))


def bytes_of(tree: Tree, path: str) -> bytes:
    """The bytes of a file, whose name has to be one that can be stored."""
    conventions.check_name(path)
    return tree.original(path)


@dataclass(frozen=True, eq=False)
class FilesRead:
    """Everything that was read, before it is judged."""

    gold: Gold
    answers: Sequence[Answer]
    assumptions: Sequence[str]  # how files were read
    claimed: Sequence[str]  # the files that a rule claims
    misplaced: Sequence[Issue]  # of places rather than files
    journal: tuple[JournalEntry, ...]
    likely_groups: LikelyGroups | None = None
    """What in gold looks like groups, where nobody said whether it is."""
    further: tuple[SourceFile, ...] = ()  # further files of a scorer's output, of no team alone

    @classmethod
    def of(
        cls,
        key: GoldFile,
        answers: Sequence[Answer],
        sentences: Iterable[str],
        misplaced: Sequence[Issue] = (),
        how: str | None = None,
    ) -> Self:
        """Gold and the submissions: how each was read where task.toml leaves it open."""
        path = key.path
        table = key.table
        gold = key.gold
        settings = key.settings
        layouts = Counter(answer.checked.layout for answer in answers if answer.checked.is_assumed)
        assumptions = [
            *([] if table.layout.stated else [f"{visible(path, 200)}: {how or table.layout}."]),
            *sentences,
            *(f"{plural(count, 'submission')}: {how}." for how, count in layouts.most_common()),
            *_numbers_sentence([answer.claim for answer in answers]),
        ]
        if gold.group_file is None:
            groups = None
        else:
            groups = gold.group_file.path
        named = filter(None, (*settings.published, settings.toml.label_names_file, groups))
        claimed = [path, *(answer.claim.file for answer in answers), *named]
        journal = [
            *journal_of_gold(table, gold),
            *(entry for each in answers for entry in each.checked.journal),
        ]
        if (manifest := settings.manifest) is not None:
            claimed += [
                MANIFEST,
                *(row.file for row in manifest.rows if row.kind in {"ignore", "reference"}),
            ]
            journal.insert(0, JournalEntry("read", MANIFEST, "What each file is."))
        read = gold, answers, assumptions, list(dict.fromkeys(claimed)), misplaced, tuple(journal)
        return cls(*read, likely_groups=key.likely_groups)


# Gold and submissions in files of their own


def read_files(
    tree: Tree, settings: TrackSettings, executor: Executor, on_progress: Progress | None
) -> FilesRead:
    """Gold, and every submission beside it."""
    in_manifest: Sequence[Issue] = ()
    try:
        claims, misplaced = claims_of(tree, settings)
    except InputError as error:
        claims = []
        misplaced = []
        in_manifest = error.issues
    try:
        path = gold_path(tree, settings)
        gold_file = read_gold(tree, path, settings)
    except InputError as error:
        if claims or in_manifest:
            missing = []
        else:
            missing = [no_submissions(tree, settings)]
        raise InputError([*error.issues, *in_manifest, *misplaced, *missing]) from None
    if in_manifest:
        raise InputError(in_manifest)
    claims = [claim for claim in claims if claim.file != path]
    gold = gold_file.gold
    table = gold_file.table
    answers = [
        _with_suggestions(answer, gold_file.suggestions)
        for answer in read_claims(tree, gold_file, claims, executor, on_progress)
    ]
    if isinstance(gold_file, GoldSets):
        rejected = duplicate_teams(answers)
        accepted = [
            each for each in answers if each.submission is not None and each not in rejected
        ]
        pooled = Pooled.of(gold_file, [each.checked for each in accepted])
        answers = [
            replace(each, items=pooled.items_of(each.checked)) if each in accepted else each
            for each in answers
        ]
        sentences = [pooled.sentence]
        if not settings.toml.gives_sets:
            how = f'kind = "classes" in {SETTINGS_FILE} scores tokens'
            sentences.append(f"{visible(path, 200)}: tags mark spans, which are scored; {how}.")
        return FilesRead.of(replace(gold_file, gold=pooled.gold), answers, sentences, misplaced)
    if isinstance(gold_file, GoldRatings):
        how = in_numbers(str(table.layout))
        return FilesRead.of(gold_file, answers, gold_file.suggestions, misplaced, how)
    if doubtful := list(_misspelt(gold, table, answers)):
        raise InputError(doubtful)
    are_grouped = gold.groups is not None and settings.gold_layout.group is None
    by_sequence = [
        f"{visible(path, 200)}: the tokens of a sequence are taken to belong together, not as independent."
    ]
    how = f'with kind = "sets" in {SETTINGS_FILE} spans are scored, as conlleval and seqeval do'
    by_token = [f"{visible(path, 200)}: tags are scored token by token; {how}."]
    mark_spans = table.sequences is not None and are_tags(set(table.labels))
    sentences = [
        *by_sequence[: int(are_grouped)],
        *by_token[: int(mark_spans)],
        *gold_file.suggestions,
    ]
    return FilesRead.of(gold_file, _traced(gold, answers), sentences, misplaced)


_FEW_FILES = 3  # of which one may have another order than the others by chance


def _traced(gold: Gold, answers: Sequence[Answer]) -> list[Answer]:
    """The answers, the best ones with an issue where they alone have gold's order, which is no sorted one.

    A copy of gold with a few labels changed looks so. How many of its labels are gold's says nothing by itself: a good
    system may have nearly all.
    """
    ids = list(gold.item_ids or ())
    in_order = [answer for answer in answers if answer.checked.in_gold_order]
    if (
        len(in_order) != 1
        or len(answers) <= _FEW_FILES
        or ids == sorted(ids)
        or ids == sorted(ids, key=natural_order)
    ):
        return list(answers)
    (trace,) = in_order
    right = {
        each.claim.file: np.count_nonzero(each.checked.codes == gold.codes)
        for each in answers
        if each.checked.is_accepted
    }
    if right.get(trace.claim.file, 0) < max(right.values(), default=1):
        return list(answers)
    defect = (
        "its rows alone are in the order of gold, and no other file has as many of gold’s labels"
    )
    remedy = "compare it with gold, and ask the team: it may be a copy of gold in which labels were changed"
    issue = Issue.of("gold-copy", trace.claim.file, defect, remedy=remedy, fatal=False)
    return [
        each.changed(issues=(*each.checked.issues, issue)) if each is trace else each
        for each in answers
    ]


_MISSPELT = 0.8  # how alike a label is of another that it may be misspelt
_FEW = 20  # items, of which one of a class of its own is nothing strange


def _misspelt(gold: Gold, table: Table, answers: Sequence[Answer]) -> Iterator[Issue]:
    """An issue for a label that one item has, that is like another, and that no team gives: it may be misspelt.

    Or that one team gives to the same item alone: then its file may be a copy of gold.
    """
    labels = gold.label_set.labels
    if gold.label_set.declared or gold.n_items <= _FEW:
        return
    counts = np.bincount(gold.codes, minlength=len(labels))
    for code in np.flatnonzero(counts == 1).tolist():
        label = labels[code]
        usual = [
            other
            for other, count in zip(labels, counts, strict=True)
            if count > 1 and other[:1] == label[:1]
        ]
        near = next(
            (other for other in usual if SequenceMatcher(None, label, other).ratio() >= _MISSPELT),
            None,
        )
        if near is None or any(map(str.isdigit, label)):
            continue
        given = [
            answer
            for answer in answers
            if answer.submission and (answer.submission.codes == code).any()
        ]
        is_copied = len(given) == 1 and np.array_equal(
            given[0].checked.codes == code, gold.codes == code
        )
        if is_copied or not given:
            if is_copied:
                giver = f"{quoted(given[0].claim.file, 80)} alone, on the same item"
            else:
                giver = "no submission"
            defect = (
                f"{quoted(label)} on 1 item, and in {giver}: a class, or {quoted(near)} misspelt?"
            )
            remedy = f"correct the file; or, if it is a class, declare it in task.toml: labels = {toml_list(labels)}"
            if is_copied:
                remedy += "; compare the submission with gold: it may be a copy"
            else:
                remedy += ""
            row = table.labels.index(label)
            issue = table.issue(
                "ambiguous-reading", defect, [row], expected="a label", remedy=remedy
            )
            yield from table.in_units([issue])


def _with_suggestions(answer: Answer, suggestions: Sequence[str]) -> Answer:
    """An answer whose sequences are not gold's, with what gold leaves open about them: that may be why."""
    if not suggestions or answer.submission is not None:
        return answer
    why = f"; or: {suggestions[0]}"
    return answer.changed(
        issues=tuple(
            replace(issue, remedy=issue.remedy + why) if issue.slug == "line-count" else issue
            for issue in answer.checked.issues
        )
    )


def duplicate_teams(answers: Sequence[Answer]) -> dict[Answer, list[Issue]]:
    """An issue for every submission under the name of another, or of a team whose name looks like another's."""
    by_name: defaultdict[tuple[str, str], list[Answer]] = defaultdict(list)
    by_team: defaultdict[str, dict[str, list[Answer]]] = defaultdict(dict)
    for answer in answers:
        team = answer.team
        run = answer.claim.run
        by_name[slugify(team), run and slugify(run)].append(answer)
        by_team[slugify(team)].setdefault(team, []).append(answer)
    groups = [group for group in by_name.values() if len(group) > 1]
    groups += [
        [first for first, *_ in teams.values()] for teams in by_team.values() if len(teams) > 1
    ]
    twins = {}
    for group in groups:
        for answer in group:
            team = answer.claim.team
            path = answer.claim.file
            others = [other.claim for other in group if other is not answer]
            where = listed(
                [quoted(claim.file if claim.file != path else claim.team, 200) for claim in others]
            )
            twins[answer] = [
                Issue.of("duplicate-team", path, f"the team {quoted(team)} is also that of {where}")
            ]
    return twins


def _numbers_sentence(claims: Sequence[FileRow]) -> list[str]:
    """The assumption that teams are called by numbers, as archives of a platform are, where all are."""
    if len(claims) < 2 or not all(claim.team.isdigit() for claim in claims):  # noqa: PLR2004 - all of several
        return []
    return [
        f"The teams’ names are numbers, like {quoted(claims[0].team)}: {MANIFEST} can say whose they are."
    ]


def gold_path(tree: Tree, settings: TrackSettings) -> str:
    """The gold file: as task.toml or files.csv says, or by convention."""
    if settings.toml.gold.path is not None:
        return conventions.only_file(tree, settings.toml.gold.path)
    path = conventions.find_gold(tree)
    for row in () if settings.manifest is None else settings.manifest.rows:
        if row.file == path:
            defect = f"{quoted(path, 120)} is called gold, and its kind is {row.kind}"
            raise InputError([bad_manifest(defect, row.line, expected="a gold file")])
    return path


def no_submissions(tree: Tree, settings: TrackSettings) -> Issue:
    """The issue for a campaign without submissions."""
    if (pattern := settings.toml.submissions.files) is not None:
        return settings.issue(
            "no-submissions", f"no file matches {quoted(pattern.text)}", "submissions", "files"
        )
    if settings.manifest is not None:
        remedy = f"write submission into the column kind of {MANIFEST} for each of them"
        return Issue.of(
            "no-submissions", MANIFEST, "no line is of the kind submission", remedy=remedy
        )
    expected_place = f"{conventions.SUBMISSIONS}/"
    foreign = [
        path
        for path in tree.listing("").files
        if path.casefold().endswith(conventions.FOREIGN_ARCHIVES)
    ]
    if not foreign:
        return Issue.of("no-submissions", expected_place, "no file is there")
    defect = (
        f"no file is there, but {quoted(foreign[0])} is an archive of a kind that is not opened"
    )
    remedy = f"unpack it into {expected_place}, or pack the files again as submissions.zip"
    return Issue.of("no-submissions", expected_place, defect, remedy=remedy)


def read_gold(tree: Tree, path: str, settings: TrackSettings) -> GoldFile:
    """The gold file."""
    data = bytes_of(tree, path)
    if settings.toml.gives_sets:
        return gold_sets(path, data, settings)
    if settings.toml.gives_numbers:
        content = decode(path, unpacked(path, data), settings.gold_layout.encoding)
        table = number_table(content, settings.gold_layout, TaskFacts(None))
        return _built(tree, content, table, SourceFile.of(path, data), settings)
    if settings.toml.labels is None:
        declared = None
    else:
        declared = dict.fromkeys(settings.toml.labels)
    content = decode(path, unpacked(path, data), settings.gold_layout.encoding)
    table = read_table(content, settings.gold_layout, TaskFacts(declared))
    if _marks_spans(table, settings):
        with suppress(InputError):  # then tokens are read, and what is wrong with them is said
            spans = gold_sets(path, data, settings.scored_as_sets())
            if _has_official_metric(settings, spans.gold.label_set):
                return spans
    return _built(tree, content, table, SourceFile.of(path, data), settings)


def _marks_spans(table: Table, settings: TrackSettings) -> bool:
    """Whether gold has tags of tokens, which mark spans, and nobody says that labels are scored.

    Several tags in one cell would be a span of a type with a comma in its name: they are no tags unasked.
    """
    if table.sequences is None or settings.toml.says_classes:
        return False
    labels = set(table.labels)
    if labels_in_one(labels):
        return False
    return are_tags(labels) and any(label[:2] in {"B-", "I-"} for label in labels)


def _has_official_metric(settings: TrackSettings, label_set: LabelSet) -> bool:
    """Whether sets have the official metric; one that they lack says that tokens are scored."""
    if settings.official_metric is None:
        return True
    from audit.metrics.official_metric import official_metric  # noqa: PLC0415 - a check of a file needs no metrics

    try:
        _, defects = official_metric(
            settings.official_metric,
            label_set,
            prevalences=(),
            scored_labels=(),
            policies=settings.policies,
        )
    except MetricNameError:
        return False
    return not defects


def _built(  # noqa: PLR0913, PLR0917 - a file, and all that is said of it
    tree: Tree,
    content: Content,
    table: Table,
    source: SourceFile,
    settings: TrackSettings,
    systems: Collection[str] | None = None,
) -> GoldFile:
    """Gold from its table, and from the file of the groups where task.toml names one; systems are those beside it."""
    lines = None
    group_file = None
    stated = settings.gold_layout
    if isinstance(stated.group, GroupFile):
        file = conventions.only_file(tree, stated.group.path)
        data = bytes_of(tree, file)
        lines = decode(file, unpacked(file, data), stated.encoding).lines
        group_file = SourceFile.of(file, data)
    try:
        if settings.toml.gives_numbers:
            gold = build_ratings(table, settings, source, lines)
        else:
            gold = build_gold(table, settings, source, lines)
    except InputError as error:
        choices = id_choices(content, table, systems=systems)
        is_mended = partial(_has_unique_ids, content, settings)
        raise InputError(_with_ids(issue, choices, is_mended) for issue in error.issues) from None
    gold = replace(gold, group_file=group_file)
    found = suggestions(content, table, stated, systems=systems)
    target = Target(gold, table.sequences, settings.policies, table.tokens)
    made: type[GoldFile] = GoldFile
    if settings.toml.gives_numbers:
        target, made = target_of_numbers(gold, settings.policies), GoldRatings
    path = source.path
    return made(
        path=path,
        gold=gold,
        target=target,
        table=table,
        settings=settings,
        suggestions=found.sentences,
        likely_groups=found.likely,
    )


def _with_ids(
    issue: Issue, choices: Sequence[Choice], is_mended: Callable[[Choice], bool]
) -> Issue:
    """An issue of ids that repeat with the columns by which none does; any other as it is."""
    if issue.slug == "duplicate-item":
        return offering(replace(issue, choices=tuple(choices)), is_mended)
    return issue


def _has_unique_ids(content: Content, settings: TrackSettings, choice: Choice) -> bool:
    """Whether gold, read by these columns, has every id once."""
    facts = TaskFacts(None if settings.toml.labels is None else dict.fromkeys(settings.toml.labels))
    name = choice.section.strip("[]")
    stated = getattr(stated_by(choice).toml, name).id
    table = read_table(content, replace(settings.gold_layout, id=stated), facts)
    return table.ids is not None and len(set(table.ids)) == len(table.ids)


# What a scorer gave each team


@dataclass(frozen=True, eq=False)
class _ScoredTeam:
    """The tables of one run of a team, and the files that they are in."""

    claim: FileRow
    tables: tuple[ScoreTable, ...]
    sources: tuple[SourceFile, ...]


def read_score_files(
    tree: Tree, settings: TrackSettings, on_progress: Progress | None
) -> FilesRead:
    """A scorer's output of every team, beside a list of items where there is one."""
    claims, misplaced = claims_of(tree, settings)
    path = _path_of_items(tree, settings)
    claims = [claim for claim in claims if claim.file != path]
    listing = None
    if path is not None:
        listing = item_list(path, bytes_of(tree, path), settings)
    elif settings.gold_layout.further_columns or settings.toml.gold.weight is not None:
        raise InputError([_without_items(settings)])
    if not claims:
        raise InputError([*misplaced, no_submissions(tree, settings)])
    teams: list[_ScoredTeam] = []
    broken: list[Answer] = []
    for claim in counted(claims, len(claims), on_progress):
        try:
            teams += _teams_in(tree, claim, settings)
        except InputError as error:
            read = Checked(claim.file, None, issues=capped(error.issues))
            role = role_of(claim, settings.toml.roles) or Role.PRIMARY
            broken.append(Answer(claim, shown_name(claim, settings), role, read))
    if not teams:
        raise InputError([issue for answer in broken for issue in answer.checked.issues])
    return _scores_read(tree, settings, _joined(teams), broken, misplaced, listing)


def _teams_in(tree: Tree, claim: FileRow, settings: TrackSettings) -> list[_ScoredTeam]:
    """What one file gives each team."""
    data = bytes_of(tree, claim.file)
    source = SourceFile.of(claim.file, data)
    teams = []
    for table in wanted_tables(claim.file, data, settings):
        whose = claim
        if table.team:
            whose = replace(claim, team=table.team, run="")
        teams.append(_ScoredTeam(whose, (table,), (source,)))
    return teams


def _joined(teams: Sequence[_ScoredTeam]) -> list[_ScoredTeam]:
    """The teams, those of whom files give different columns once each."""
    found: dict[tuple[str, str], _ScoredTeam] = {}
    twice: list[_ScoredTeam] = []
    for team in teams:
        name = team.claim.team, team.claim.run
        both = found.get(name)
        if both is None:
            found[name] = team
            continue
        tables, sources = (*both.tables, *team.tables), (*both.sources, *team.sources)
        if joined_tables(tables) is None:
            twice.append(team)
        else:
            found[name] = replace(both, tables=tables, sources=sources)
    return [*found.values(), *twice]


def _path_of_items(tree: Tree, settings: TrackSettings) -> str | None:
    """The list of items: as task.toml or files.csv names it; None where neither does."""
    if settings.toml.gold.path is not None:
        return conventions.only_file(tree, settings.toml.gold.path)
    return None


def _without_items(settings: TrackSettings) -> Issue:
    """The issue for groups, parts or weights of items that no file lists."""
    key = "weight"
    if settings.gold_layout.group_columns:
        key = "group"
    elif settings.gold_layout.slices:
        key = "slices"
    defect = f"{key} names a column, and no file lists the items"
    remedy = (
        "name a table of items with ids and this column: --gold ITEMS; or path = … under [gold]"
    )
    return settings.issue(
        "bad-setting", defect, "gold", key, expected="a list of items", remedy=remedy
    )


def _scores_read(  # noqa: PLR0913, PLR0917 - all that was read
    tree: Tree,
    settings: TrackSettings,
    teams: Sequence[_ScoredTeam],
    broken: Sequence[Answer],
    misplaced: Sequence[Issue],
    listing: ItemList | None,
) -> FilesRead:
    """What was read of all teams, their numbers in the order of the items."""
    tables = [joined_tables(team.tables) or team.tables[0] for team in teams]
    items = items_of_scores(
        tables, [team.claim.file for team in teams], settings, listing, tree.door
    )
    rows = [items.values_of(table) for table in tables]
    kept = without_items_that_nobody_has(rows)
    answers = []
    for team, table in zip(teams, tables, strict=True):
        read = check_scores(team.claim.file, table, items, settings, kept)
        role = role_of(team.claim, settings.toml.roles) or Role.PRIMARY
        whose = team.claim, shown_name(team.claim, settings), role
        answers.append(Answer(*whose, read, team.sources[0]))
    gold, sentences = items.gold, list(items.sentences)
    if not kept.all():
        left_out = plural(int((~kept).sum()), "item")
        sentences.append(f"No team has a number for {left_out}, left out for all.")
        gold = replace(
            gold.of_items(kept),
            source=gold.source,
            slices=tuple(replace(column, codes=column.codes[kept]) for column in gold.slices),
        )
    sentences += sentence_on_zeros([row[kept] for row in rows], gold.label_set)
    layouts = Counter(answer.checked.layout for answer in answers if answer.checked.layout)
    sentences += [f"{plural(count, 'submission')}: {how}." for how, count in layouts.most_common()]
    if gold.source is not None and listing is not None:
        n_items = plural(gold.n_items, "item")
        sentences.insert(0, f"{visible(gold.source.path, 200)}: the list of items, {n_items}.")
    own = {team.sources[0].path for team in teams}
    sources = {source.path: source for team in teams for source in team.sources}
    claimed = [*sources, *(answer.claim.file for answer in broken)]
    journal = [entry for answer in answers for entry in answer.checked.journal]
    if listing is not None and gold.source is not None:
        claimed.insert(0, gold.source.path)
        first, *further = journal_of_gold(listing.table, gold)
        text = first.text.replace(str(listing.table.layout), "The list of items")
        journal = [replace(first, text=text), *further, *journal]
    claimed += settings.published
    if settings.manifest is not None:
        others = {"ignore", "reference"}
        claimed += [MANIFEST, *(row.file for row in settings.manifest.rows if row.kind in others)]
        journal.insert(0, JournalEntry("read", MANIFEST, "What each file is."))
    return FilesRead(
        gold,
        [*answers, *broken],
        sentences,
        list(dict.fromkeys(claimed)),
        misplaced,
        tuple(journal),
        further=tuple(source for path, source in sorted(sources.items()) if path not in own),
    )


# Gold and systems in one file


def wide_file(tree: Tree, settings: TrackSettings) -> str | None:
    """The wide file: as task.toml says, or the only data file, if it reads as one or at least looks like one."""
    if settings.toml.gives_sets or settings.toml.gives_numbers:
        return None
    if settings.toml.wide is not None and settings.toml.wide.path is not None:
        return settings.toml.wide.path
    manifest = settings.manifest
    gold = settings.toml.gold.path
    is_listed = manifest is not None and gold is not None and not manifest.of_kind("submission")
    says_otherwise = settings.toml.submissions.files is not None or (
        gold is not None and not is_listed
    )
    has_place = (
        tree.exists(conventions.SUBMISSIONS) or conventions.submissions_folder(tree) is not None
    )
    if settings.toml.wide is None and (says_otherwise or has_place):
        return None
    if is_listed and settings.toml.wide is None and gold is not None:
        return gold if _seems_wide(tree, gold) else None
    data = conventions.data_files(tree.listing("").files)
    if settings.toml.wide is not None and len(data) != 1:
        defect = f"{plural(len(data), 'data file')} at the top of the folder"
        raise InputError(
            [
                settings.issue(
                    "bad-setting",
                    defect,
                    "wide",
                    expected="path in [wide], where there is not exactly one",
                )
            ]
        )
    if len(data) != 1:
        return None
    return data[0] if settings.toml.wide is not None or _seems_wide(tree, data[0]) else None


def _seems_wide(tree: Tree, path: str) -> bool:
    """Whether a file is to be read as a wide one; gold.* is that, with whatever columns, unless all of them fit."""
    try:
        content = decode(path, tree.read(path))
    except InputError:
        return False
    with suppress(InputError):
        if read_wide(content).systems:
            return True
    return not path.casefold().startswith("gold.") and looks_wide(content)


def read_wide_file(
    tree: Tree, path: str, settings: TrackSettings, on_progress: Progress | None
) -> FilesRead:
    """Gold and systems of one wide file."""
    data = bytes_of(tree, path)
    stated = settings.gold_layout
    content = decode(path, unpacked(path, data), stated.encoding)
    table = read_wide(content, settings.toml.wide or SILENT_WIDE, stated, settings.toml.rounding)
    source = SourceFile.of(path, data)
    key = _built(tree, content, table.gold, source, settings, table.systems)
    answers = []
    for name, column in counted(table.systems.items(), len(table.systems), on_progress):
        claim = FileRow(path, "submission", team=name)
        whose = (
            claim,
            shown_name(claim, settings),
            role_of(claim, settings.toml.roles) or Role.PRIMARY,
        )
        read = checked(column, key.target, stated)
        issues = tuple(
            replace(issue, found=f"column {quoted(name)}: {issue.found}") for issue in read.issues
        )
        found = replace(read, is_assumed=False, issues=issues, row_of=None)
        answers.append(Answer(*whose, found, source))
    return FilesRead.of(key, answers, key.suggestions, how=str(table))
