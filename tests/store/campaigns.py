"""Campaigns and evaluations made in memory, and what of them has to be equal."""

import hashlib
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from audit.domain import (
    MARKS,
    OBSERVED,
    POLICY_KINDS,
    STRICT_POLICIES,
    Agreement,
    Baseline,
    Campaign,
    Cells,
    Certainty,
    ChosenRun,
    Comparison,
    Entry,
    Evaluation,
    Flag,
    Gold,
    Intervals,
    JournalEntry,
    LabelSet,
    Options,
    Origin,
    Policies,
    Prevalence,
    PrintedScore,
    Published,
    PublishedColumn,
    Rejection,
    Role,
    ScoreKey,
    Severity,
    SliceColumn,
    SourceFile,
    State,
    Submission,
    Task,
    WinnerChange,
    code_dtype,
)
from audit.errors import ISSUE_KINDS, Issue
from audit.writers.data.certainty_data import certainty_document
from audit.writers.data.export import flag_data

HOSTILE = (
    "<script>alert(1)</script>",
    "../x",
    "\u202eevil",
    "\u200f",
    "x" * 300,
    "100%",
    "%s %(a)s",
    "a\x00b",
    "\x00",
    "'; DROP TABLE task; --",
    '"',
    ":team",
    "?",
    "",
    " ",
    "é",
    "e\u0301",
    "😀",
    "NULL",
    "1.0",
    "123456789012345678",
)

texts = st.sampled_from(HOSTILE) | st.text(max_size=8)
"""Text that is valid Unicode, as ids and labels are."""

file_names = texts | st.text(st.characters(), max_size=8)
"""Text that may have lone surrogates, as the names of files have whose bytes are no UTF-8."""

line_numbers = st.integers(1, 2**40)


def label_set(*labels, declared=False):
    return LabelSet(labels or ("negative", "neutral", "positive"), declared)


def source(path, content=None):
    return SourceFile.of(path, f"the content of {path}".encode() if content is None else content)


def submission(team, codes, *, run=None, content=None, **more):
    path = f"submissions/{team}.txt" if run is None else f"submissions/{team}/{run}.txt"
    return Submission(
        team, np.array(codes, np.uint8), run, source=source(path, content or bytes(codes)), **more
    )


def campaign(  # noqa: PLR0913 - each may be said
    slug="task",
    *,
    submissions=None,
    gold=(0, 1, 2, 1),
    labels=None,
    settings=b"",
    options=None,
    **task,
):
    """A small campaign of three classes and four items."""
    labels = labels or label_set()
    if submissions is None:
        submissions = (
            submission("Ada", [0, 1, 2, 2]),
            submission(
                "Bob",
                [0, 1, 4, 3],
                unusable_labels=(("postive", 1),),
                issues=issues_of("submissions/Bob.txt"),
            ),
            submission("Bob", [1, 1, 1, 1], run="2"),
        )
    task = {
        "title": "A task",
        "official_metric": ScoreKey("averaged_f1"),
        "official_decimals": 3,
        "prevalences": (Prevalence("even", tuple((label, 1 / 3) for label in labels)),),
        "assumptions": ("Gold is gold.txt.",),
        **task,
    }
    return Campaign(
        task=Task(slug, label_set=labels, **task),
        gold=Gold(
            labels,
            np.array(gold, np.uint8),
            tuple(f"id{i}" for i in range(len(gold))),
            source("gold.txt", bytes(gold)),
        ),
        submissions=submissions,
        rejections=(
            Rejection(
                "submissions/Eve.txt", (Issue.of("empty-file", "submissions/Eve.txt", "0 bytes"),)
            ),
        ),
        ignored=("README", ".DS_Store"),
        settings=source("task.toml", settings),
        options=options or Options(),
    )


def policed(slug="task", **task):
    """The same campaign with policies, roles, origins, groups, slices and a journal."""
    ada, bob, bob_2 = campaign().submissions
    task = {
        "policies": Policies(
            missing="drop",
            runs="best",
            skipped="last",
            chosen=(ChosenRun("Bob", "2", "They withdrew the other."),),
        ),
        "family": "flood",
        "part": "Spanish",
        **task,
    }
    teams = (
        replace(ada, role=Role.BASELINE),
        replace(bob, role=Role.LATE, origin=Origin("Universität \N{SNOWMAN}", None)),
        replace(bob_2, origin=Origin(None, "https://example.org/1")),
    )
    plain = campaign(slug, submissions=teams, **task)
    return replace(
        plain,
        gold=replace(
            plain.gold,
            groups=np.array([7, -1, 7, 2**62]),
            slices=(SliceColumn("language", ("de", "\N{SNOWMAN}"), np.array([0, 1, 1, 0])),),
        ),
        journal=(
            JournalEntry("read", "gold.txt", "One label a line.", 4),
            JournalEntry("decided", "Bob", "Missing items leave the scores."),
            JournalEntry("read", "caf\udce9.txt", "", 0),
        ),
    )


def published(slug="task", **task):
    """The campaign with a table of published scores: one with a typing error, one column of ranks."""
    one, other, wrong = (PrintedScore(f".{units}", units, 3) for units in (611, 429, 999))
    columns = (
        PublishedColumn("Macro-F1", (one, other, None)),
        PublishedColumn("Recall", (wrong, None, other)),
    )
    table = Published(
        "published.csv",
        ("Ada", "Bob", "Bob/2"),
        columns,
        (("Rank", "ranks"),),
        source("published.csv"),
    )
    return replace(campaign(slug, **task), published=(table,))


def issues_of(file):
    return (
        Issue.of("unusable-label", file, "“postive” on 1 item", lines=[3]),
        Issue.of("missing-label", file, "1 item", lines=[4], count=1),
    )


def contents(campaign):
    """A campaign as values that can be compared: arrays as type and numbers."""
    return (
        campaign.task,
        campaign.gold.label_set,
        campaign.gold.item_ids,
        array(campaign.gold.codes),
        campaign.gold.source,
        None if campaign.gold.groups is None else array(campaign.gold.groups),
        [(column.name, column.values, column.codes.tolist()) for column in campaign.gold.slices],
        (campaign.gold.unit, campaign.gold.stratified, campaign.gold.group_file),
        [
            (
                *(each.team, each.run, each.role, each.origin),
                *(array(each.codes), each.unusable_labels, each.issues, each.source),
                None if each.scores is None else array(each.scores),
            )
            for each in campaign.submissions
        ],
        campaign.rejections,
        campaign.ignored,
        (campaign.settings, campaign.roster),
        campaign.journal,
        campaign.published,
        campaign.options,
    )


def array(codes):
    return codes.dtype.str.replace("=", "<"), codes.tolist()


@st.composite
def campaigns(draw, slug=None):
    """Any campaign that formats could read."""
    labels = LabelSet(
        tuple(draw(st.lists(texts, min_size=1, max_size=5, unique=True))), draw(st.booleans())
    )
    n_items = draw(st.integers(1, 6))
    names = draw(st.lists(st.tuples(file_names, st.none() | file_names), max_size=4, unique=True))
    scored = draw(
        st.lists(
            st.sampled_from(labels.labels),
            unique=True,
            max_size=len(labels) if len(labels) != 2 else 1,
        )
    )
    scored_labels = tuple(scored) if len(labels) == 2 or len(scored) > 1 else ()
    return Campaign(
        task=Task(
            slug=draw(texts.filter(bool)) if slug is None else slug,
            title=draw(texts),
            note=draw(texts),
            label_set=labels,
            official_metric=draw(st.none() | st.builds(ScoreKey, texts, texts)),
            official_decimals=draw(st.none() | st.integers(0, 15)),
            policies=draw(policies | st.just(STRICT_POLICIES)),
            prevalences=draw(st.lists(named_prevalences, max_size=2).map(tuple)),
            assumptions=draw(st.lists(texts, max_size=2).map(tuple)),
            **dict(zip(("family", "part"), draw(families), strict=True)),
            scored_labels=scored_labels,
        ),
        gold=Gold(
            labels,
            draw(codes_of(len(labels), n_items, len(labels))),
            draw(
                st.none()
                | st.lists(texts, min_size=n_items, max_size=n_items, unique=True).map(tuple)
            ),
            draw(sources),
            **draw(st.just({}) | st.fixed_dictionaries(_grouped(n_items))),
            stratified=draw(st.booleans()),
            slices=draw(st.lists(slice_columns(n_items), max_size=2).map(tuple)),
        ),
        submissions=tuple(
            Submission(
                team,
                draw(codes_of(len(labels) + 2, n_items, len(labels))),
                run,
                draw(st.lists(st.tuples(texts, st.integers(1, 2**40)), max_size=2).map(tuple)),
                draw(issue_tuples),
                draw(sources),
                draw(st.sampled_from(Role)),
                draw(st.builds(Origin, st.none() | texts, st.none() | texts)),
                draw(
                    st.none() | item_scores_of(n_items, len(scored_labels))
                    if scored_labels
                    else st.none()
                ),
            )
            for team, run in names
        ),
        rejections=draw(
            st.lists(st.builds(Rejection, file_names, issue_tuples), max_size=2).map(tuple)
        ),
        ignored=draw(st.lists(file_names, max_size=3).map(tuple)),
        settings=draw(sources),
        roster=draw(sources),
        journal=draw(st.lists(journal_entries, max_size=3).map(tuple)),
        published=draw(
            st.lists(published_tables(), max_size=2, unique_by=lambda table: table.path).map(tuple)
        ),
        options=draw(options),
    )


def item_scores_of(n_items, n_labels):
    """Any finite score for each item, or one of each label."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    shape = (n_items,) if n_labels == 1 else (n_items, n_labels)
    size = n_items * n_labels
    return st.lists(finite, min_size=size, max_size=size).map(
        lambda scores: np.reshape(scores, shape)
    )


def scored(slug="task"):
    """A campaign of two classes, whose first submission has scores of its items."""
    labels = label_set("no", "yes")
    teams = (
        submission("Ada", [0, 1, 1, 2], scores=np.array([0.25, 0.75, 0.5, -1e300])),
        submission("Bob", [0, 1, 0, 0]),
    )
    return campaign(
        slug, labels=labels, gold=(0, 1, 0, 1), submissions=teams, scored_labels=("yes",)
    )


def _grouped(n_items):
    """What gold says of its groups, where it has some."""
    of_items = st.lists(groups, min_size=n_items, max_size=n_items).map(np.array)
    return {"groups": of_items, "unit": st.none() | file_names, "group_file": sources}


@st.composite
def slice_columns(draw, n_items):
    """Any column that cuts a test set; the store does not ask whether every value has an item."""
    values = draw(st.lists(texts, min_size=2, max_size=4, unique=True).map(tuple))
    codes = draw(st.lists(st.integers(0, len(values) - 1), min_size=n_items, max_size=n_items))
    return SliceColumn(
        draw(texts), values, np.array(codes, draw(st.sampled_from([np.uint8, np.int64])))
    )


@st.composite
def published_tables(draw):
    """Any published table."""
    teams = draw(st.lists(file_names, max_size=3).map(tuple))
    scores = st.tuples(*(st.none() | printed_scores for _ in teams))
    path, source = draw(file_names), draw(sources)
    return Published(
        path,
        teams,
        draw(
            st.lists(st.builds(PublishedColumn, file_names, scores, st.booleans()), max_size=2).map(
                tuple
            )
        ),
        draw(st.lists(st.tuples(file_names, texts), max_size=2).map(tuple)),
        source and replace(source, path=path),
    )


def codes_of(n_codes, n_items, n_classes):
    some = st.lists(st.integers(0, n_codes - 1), min_size=n_items, max_size=n_items)
    return some.map(lambda codes: np.array(codes, code_dtype(n_classes)))


printed_scores = st.builds(
    PrintedScore, file_names, st.integers(-(10**15), 10**15), st.integers(0, 15), st.booleans()
)
options = st.builds(
    Options,
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.lists(texts, max_size=2).map(tuple),
)
policies = st.builds(
    Policies,
    **{slug: st.sampled_from(list(kind.values)) for slug, kind in POLICY_KINDS.items()},
    chosen=st.lists(st.builds(ChosenRun, file_names, file_names, texts), max_size=2).map(tuple),
)
families = st.just((None, None)) | st.tuples(texts, st.none() | texts)
groups = st.integers(-(2**63), 2**63 - 1)
journal_entries = st.builds(JournalEntry, texts, file_names, file_names, st.integers(0, 2**40))
sources = st.none() | st.builds(SourceFile.of, file_names, st.binary(max_size=20))
shares = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
named_prevalences = st.builds(
    Prevalence, texts, st.lists(st.tuples(texts, shares), max_size=3).map(tuple)
)
issue_tuples = st.lists(
    st.builds(
        Issue,
        slug=st.sampled_from(sorted(ISSUE_KINDS)),
        file=file_names,
        found=file_names,
        expected=texts,
        remedy=texts,
        lines=st.lists(line_numbers, max_size=3).map(tuple),
        count=line_numbers,
        fatal=st.booleans(),
    ),
    max_size=2,
).map(tuple)


def evaluation(campaign, *, values=None, flags=None, signature="signature"):
    """An evaluation of a campaign, by hand: two keys, the second undefined for the first entry."""
    n_teams = len(campaign.submissions)
    keys = (ScoreKey("accuracy"), ScoreKey("kappa", "balanced"))
    if values is None:
        values = np.linspace(0, 1, 2 * n_teams).reshape(2, n_teams)
        values[1, 0] = np.nan
    if flags is None:
        flags = (
            Flag(
                "tied-winners",
                Severity.WINNER,
                "Two win.",
                "Say so.",
                "Both won.",
                {"teams": ("Ada", "Bob"), "by": 0.5},
            ),
        )
    n_classes = len(campaign.task.label_set)
    return Evaluation(
        task=campaign.task,
        gold=campaign.gold,
        entries=tuple(map(entry, campaign.submissions)),
        cells=Cells.of(np.zeros((n_teams, n_classes, n_classes + 1), np.int64)),
        prevalences=(OBSERVED,),
        keys=keys,
        values=values,
        rank_values=np.tile(np.arange(n_teams, 0, -1), (2, 1)),
        signature=signature,
    ).given(flags=flags, agreement=Agreement(keys, np.eye(2), np.eye(2), np.eye(2, dtype=bool)))


def beside(evaluation):
    """The evaluation with entries that do not compete or dropped items, and two baselines."""
    first, *others = evaluation.entries
    n_keys = len(evaluation.keys)
    expected = np.full(n_keys, 1 / 3)
    return replace(
        evaluation,
        entries=(replace(first, competes=False), *(replace(each, n_dropped=2) for each in others)),
    ).given(
        baselines=(
            Baseline("uniform", "Uniform", "An exact expectation.", expected, np.zeros(n_keys)),
            Baseline("drawn", "Drawn", "A mean of draws.", np.full(n_keys, 0.25), expected),
        ),
    )


def entry(submission):
    file = submission.source
    return Entry(
        name=submission.team if submission.run is None else f"{submission.team}/{submission.run}",
        team=submission.team,
        run=submission.run,
        path=file and file.path,
        sha256=file and file.sha256,
        n_missing=0,
        n_unusable=0,
        unusable_labels=(),
        predictions_digest="",
    )


def certain(evaluation, seed=1):
    """The evaluation with a certainty, by hand: intervals at random, some of them marked, and one comparison."""
    some = np.random.default_rng(seed)
    n_keys, n_teams = evaluation.values.shape
    marks = np.where(
        np.isnan(evaluation.values), 0, some.integers(0, len(MARKS), (n_keys, n_teams))
    )
    lower, upper = (
        np.where(marks, np.nan, evaluation.values + sign * some.random((n_keys, n_teams)))
        for sign in (-1, 1)
    )
    found = Certainty(
        intervals=Intervals(
            lower,
            upper,
            np.full(upper.shape, np.nan),
            marks.astype(np.uint8),
            some.random(n_teams),
            np.zeros(n_teams, np.uint8),
        ),
        ungrouped=None,
        n_groups=None,
        stratified=False,
        comparisons=(comparison(evaluation, some),),
        changes=(
            WinnerChange(
                "metric", evaluation.keys, ((0,), tuple(range(1, n_teams))), State.OTHER_NOT_SHOWN
            ),
        ),
        seed=seed,
    )
    return evaluation.given(certainty=found)


def comparison(evaluation, some):
    """All pairs of entries by the first score; the last entry is in no pair."""
    n_teams = len(evaluation.entries)
    best, sets = some.random(n_teams) < 0.5, some.integers(1, n_teams + 1, (n_teams, 2))
    best[-1], sets[-1] = False, 0
    return Comparison(
        key=evaluation.keys[0],
        standard_error=np.ones((n_teams, n_teams)),
        adjusted_p=np.ones((n_teams, n_teams)),
        critical_value=3.1,
        ahead=np.zeros((n_teams, n_teams), dtype=bool),
        ahead_given=np.zeros((n_teams, n_teams), dtype=bool),
        against_best=np.zeros((n_teams, n_teams), dtype=bool),
        difference_lower=np.full((n_teams, n_teams), -3.1),
        possible_ranks=np.sort(sets, axis=-1),
        could_be_best=best,
        uncertain=np.zeros(n_teams, dtype=bool),
        leader=0,
        chosen_lower=np.where(np.arange(n_teams) == 0, -0.5, np.nan),
        chosen_upper=np.where(np.arange(n_teams) == 0, 1.5, np.nan),
        n_draws=100,
    )


def document(evaluation):
    """An evaluation's document, as far as the store's views look at it."""
    certainty, keys, names = evaluation.certainty, list(map(str, evaluation.keys)), evaluation.names
    values = np.where(np.isnan(evaluation.values), None, evaluation.values)
    taken = np.array([entry.competes for entry in evaluation.entries], bool) & ~np.isnan(
        evaluation.values
    )
    ranks = np.where(taken, evaluation.rank_values, None)
    return {
        "signature": evaluation.signature,
        "entries": [
            {"name": entry.name, "team": entry.team, "run": entry.run, "role": entry.role.value}
            for entry in evaluation.entries
        ],
        "scores": {
            key: dict(zip(names, row, strict=True))
            for key, row in zip(keys, values.tolist(), strict=True)
        },
        "ranks": {
            key: dict(zip(names, row, strict=True))
            for key, row in zip(keys, ranks.tolist(), strict=True)
        },
        "baselines": [
            {
                "slug": each.slug,
                "title": each.title,
                "scores": dict(zip(keys, each.values.tolist(), strict=True)),
            }
            for each in evaluation.baselines
        ],
        "certainty": certainty and certainty_document(certainty, evaluation.keys, names),
        "flags": [flag_data(flag) for flag in evaluation.flags],
    }


def saved_as(store, campaign):
    """What saving one campaign changes."""
    (summary,) = store.save_campaigns(campaign)
    return summary


def keep(store, evaluation):
    """Save an evaluation with its document."""
    store.save_evaluation(evaluation, document(evaluation))


def original(store, path, sha256=None):
    """The bytes of a file of any load, read past the program; the newest of them where no digest is given."""
    query = """
        SELECT load_file.load_id AS load_id, path, sha256, size, compressed
        FROM load_file JOIN source_file ON source_file.id = source_file_id
        UNION ALL
        SELECT loaded_in, path, sha256, size, compressed
        FROM submission JOIN source_file ON source_file.id = source_file_id
        ORDER BY load_id DESC
    """
    with closing(sqlite3.connect(store.path)) as opened:
        versions = [
            row[1:] for row in opened.execute(query) if row[1] == path and sha256 in (None, row[2])
        ]
    (_, digest, size, compressed), *_ = versions
    content = zlib.decompress(compressed)
    assert (hashlib.sha256(content).hexdigest(), len(content)) == (digest, size)
    return content
