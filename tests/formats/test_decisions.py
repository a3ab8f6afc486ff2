"""What policies decide is counted, said, and told to the journal."""

import pytest

from audit.domain import JournalEntry, Policies
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.align.alignment import Target, align
from audit.formats.align.gold import build_gold
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.submission import journal_of, journal_of_gold
from audit.formats.files.content import decode
from audit.formats.recognise import read_table
from audit.formats.settings.layout import NOTHING_STATED
from audit.formats.settings.parsing import TrackSettings, parse_settings
from audit.formats.table.parsed import TaskFacts

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write

NO, YES, MISSING, UNUSABLE = range(4)
AS_ANSWERED = [NO, NO, NO, YES]


def aligned(gold, answers, toml=""):
    """The tables of gold and answers, and the submission in gold order."""
    settings = parse_settings(toml.encode())
    gold_table = read_table(
        decode("gold.csv", gold.encode()), settings.gold_layout, TaskFacts(settings.toml.labels)
    )
    built = build_gold(gold_table, settings, None)
    target = Target(built, gold_table.sequences, settings.policies)
    known = TaskFacts(built.label_set.code_of, target.position_of, built.n_items, gold_table.layout)
    table = read_table(decode("A.csv", answers.encode()), settings.submission_layout, known)
    return gold_table, table, align(table, target)


TWICE = "id,label\n1,no\n2,no\n2,yes\n3,no\n1,maybe\n4,yes\n1,yes\n"


@pytest.mark.parametrize(
    ("which", "codes", "lines", "found"),
    [
        (
            "first",
            AS_ANSWERED,
            (4, 6, 8),
            "3 lines answer an item a second time; the first answer counts",
        ),
        (
            "last",
            [YES, YES, NO, YES],
            (2, 3, 6),
            "3 lines answer an item that a later one answers again; the last",
        ),
    ],
)
def test_the_first_or_the_last_answer_counts_by_policy(which, codes, lines, found):
    """The others are counted once, and what is wrong with them is no matter."""
    _, _, found_codes = aligned(GOLD, TWICE, f'[policies]\nduplicates = "{which}"\n')
    assert found_codes.codes.tolist() == codes
    (issue,) = found_codes.issues
    assert (issue.slug, issue.lines, issue.count, issue.fatal) == (
        "duplicate-item",
        lines,
        3,
        False,
    )
    assert issue.found.startswith(found)
    assert found_codes.unusable_labels == ()


def test_an_answer_that_counts_is_judged(tmp_path):
    """Of several, by policy, the one that is unusable."""
    files = {
        **GOOD,
        "submissions/A.csv": ANSWERS + "1,maybe\n2,\n",
        "task.toml": '[policies]\nduplicates = "last"\n',
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.submissions[0].codes.tolist() == [UNUSABLE, MISSING, NO, YES]
    assert {issue.slug: issue.count for issue in campaign.issues} == {
        "duplicate-item": 2,
        "missing-label": 1,
        "unusable-label": 1,
    }


def test_items_that_gold_lacks_are_left_out_by_policy():
    """Counted once, with the first of them, and what is wrong with them is no matter."""
    answers = ANSWERS + "5,no\n6,maybe\n6,no\n"
    _, _, found = aligned(GOLD, answers, '[policies]\nextra = "ignore"\nduplicates = "first"\n')
    assert found.codes.tolist() == AS_ANSWERED
    (issue,) = found.issues
    assert (issue.slug, issue.lines, issue.count, issue.fatal) == (
        "extra-item",
        (6, 7, 8),
        3,
        False,
    )
    assert issue.found == "3 lines answer items that gold lacks, and are left out: “5”, “6” and “6”"


def test_one_of_another_numbering_is_left_out_and_its_item_missing():
    """Both are said."""
    _, _, found = aligned(
        GOLD, ANSWERS.replace("4,yes", "44,yes"), '[policies]\nextra = "ignore"\n'
    )
    assert found.codes.tolist() == [NO, NO, NO, MISSING]
    assert {issue.slug for issue in found.issues} == {"extra-item", "missing-item"}


def test_a_file_of_which_gold_knows_no_id_is_rejected_by_any_policy(tmp_path):
    """Nothing of it would be left."""
    files = {
        **GOOD,
        "submissions/A.csv": "id,label\na,no\nb,yes\n",
        "task.toml": '[policies]\nextra = "ignore"\n',
    }
    with pytest.raises(InputError, match="unknown-item"):
        read_campaign(write(tmp_path, files))


def test_by_default_neither_is_decided(tmp_path):
    """The file is rejected for both."""
    issues = refusal(tmp_path, {**GOOD, "submissions/A.csv": TWICE + "7,no\n"})
    assert {issue.slug for issue in issues if issue.fatal} == {"duplicate-item", "extra-item"}


def test_the_journal_says_how_a_file_was_read_repaired_and_decided():
    """One entry for each kind of thing, with its count."""
    toml = 'fold_case = true\n[policies]\nduplicates = "last"\nextra = "ignore"\n[gold]\ngroup = "author"\n'
    gold = "id,label,author\n1,no,x\n2,yes,y\n3,no,x\n4,yes,z\n5,no,z\n"
    answers = "id,label\n1,NO\n1,No\n2,NO\n3,maybe\n4,so\n9,no\n5,\n"
    gold_table, table, found = aligned(gold, answers, toml + '[aliases]\nso = "yes"\n')
    built = build_gold(
        gold_table, parse_settings(b'labels = ["no", "yes"]\ngold.stratified = true\n'), None
    )
    assert journal_of_gold(gold_table, built) == (
        JournalEntry(
            "read",
            "gold.csv",
            "comma-separated, header; column “id” holds the ids, column “label” the labels, column “author” the "
            "groups; 3 groups of items, by author; class counts fixed by design.",
            5,
        ),
    )
    how = "comma-separated, header; column “id” holds the ids, column “label” the labels."
    assert journal_of(table, found.issues, Policies(extra="ignore", duplicates="last")) == (
        JournalEntry("read", "A.csv", how, 7),
        JournalEntry("repaired", "A.csv", "“NO” was read as “no”, as task.toml says.", 2),
        JournalEntry("repaired", "A.csv", "“No” was read as “no”, as task.toml says.", 1),
        JournalEntry("repaired", "A.csv", "“so” was read as “yes”, as task.toml says.", 1),
        JournalEntry(
            "decided",
            "A.csv",
            "1 line answers an item that gold lacks, and is left out: “9”, by the policy extra = “ignore”.",
            1,
        ),
        JournalEntry(
            "decided",
            "A.csv",
            "1 line answers an item that a later one answers again; the last answer counts, by the policy "
            "duplicates = “last”.",
            1,
        ),
        JournalEntry(
            "decided",
            "A.csv",
            "1 line without a label, counted as unanswered, by the policy missing = “wrong”.",
            1,
        ),
        JournalEntry(
            "decided",
            "A.csv",
            "1 answer outside the label set, counted as unanswered, by the policy unusable = “wrong”.",
            1,
        ),
    )


def test_a_journal_without_decisions_says_how_the_file_was_read():
    """And nothing else."""
    _, table, found = aligned(GOLD, ANSWERS)
    assert [entry.action for entry in journal_of(table, found.issues, Policies())] == ["read"]
    assert (
        align(
            table,
            Target(build_gold(table, TrackSettings(), None), policies=Policies(missing="drop")),
        ).issues
        == ()
    )
    assert NOTHING_STATED.spelling.is_silent


@pytest.mark.parametrize(
    ("value", "effect"), [("wrong", "counted as unanswered"), ("drop", "left out of its scores")]
)
def test_the_journal_names_the_policy_for_missing_items_and_their_number(value, effect, tmp_path):
    """Whichever it is: the default decides too."""
    files = {
        **GOOD,
        "submissions/A.csv": "id,label\n1,no\n2,yes\n",
        "task.toml": f'[policies]\nmissing = "{value}"\n',
    }
    decided = [
        entry
        for entry in read_campaign(write(tmp_path, files)).journal
        if entry.action == "decided"
    ]
    text = f"No answer for 2 items of 4, {effect}, by the policy missing = “{value}”."
    assert decided == [JournalEntry("decided", "submissions/A.csv", text, 2)]


def test_the_journal_says_which_files_were_rejected_and_for_what(tmp_path):
    """How they were read, as far as they could be, and no policy that decided nothing; one entry for each file."""
    files = {
        **GOOD,
        "submissions/B.csv": "id,label\n1,no\n1,no\n2,no\n2,yes\n3,NO\n",
        "submissions/C.csv": b"\0\0",
        "task.toml": '[aliases]\nNO = "no"\n[policies]\nmissing = "reject"\n',
    }
    campaign = read_campaign(write(tmp_path, files), skip_rejected=True)
    said = [
        (entry.action, entry.subject.removeprefix("submissions/"), entry.text)
        for entry in campaign.journal
    ]
    assert [(action, subject) for action, subject, _ in said if subject != "gold.csv"] == [
        ("read", "A.csv"),
        ("read", "B.csv"),
        ("repaired", "B.csv"),
        ("rejected", "B.csv"),
        ("rejected", "C.csv"),
    ]
    texts = {subject: text for action, subject, text in said if action == "rejected"}
    assert texts["B.csv"] == "Not accepted: duplicate-item (2) and missing-item (1)."


def test_answers_behind_the_last_item_are_left_out_where_a_policy_says_so(tmp_path):
    """Without ids too; never where the first line could be a header, which would shift every answer."""
    files = {"gold.txt": "no\nyes\nno\nyes\n", "submissions/A.txt": "no\nno\nno\nyes\nyes\nno\n"}
    ignoring = {"task.toml": '[policies]\nextra = "ignore"\n'}
    with pytest.raises(InputError, match="line-count"):
        read_campaign(write(tmp_path / "a", files))
    (found,) = read_campaign(write(tmp_path / "b", files | ignoring)).submissions
    assert found.codes.tolist() == [0, 0, 0, 1]
    (issue,) = found.issues
    assert (issue.slug, issue.lines, issue.count) == ("extra-item", (5, 6), 2)
    blank = files | ignoring | {"submissions/A.txt": "no\nno\nno\nyes\n\n \n"}
    assert read_campaign(write(tmp_path / "e", blank)).submissions[0].codes.tolist() == [0, 0, 0, 1]
    headed = files | ignoring | {"submissions/A.txt": "prediction\nno\nno\nno\nyes\n"}
    with pytest.raises(InputError, match="header"):
        read_campaign(
            write(tmp_path / "c", headed | {"submissions/A.txt": "answer!\nno\nno\nno\nyes\n"})
        )
    assert read_campaign(write(tmp_path / "d", headed)).submissions[0].codes.tolist() == [
        0,
        0,
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("runs", "roles"),
    [
        (("A/1", "A/2", "B/x", "C"), ""),
        (("A/1", "A/2", "B/x"), '1 = "contrastive"\n2 = "contrastive"\n'),
        (("A/1", "A/2", "A/3", "B/x", "B/y"), '2 = "contrastive"\n3 = "unofficial"\n'),
        (("A/1", "A/2", "B/x", "B/y", "base/0"), '1 = "late"\nbase = "baseline"\n'),
        (("A/1", "B/x"), ""),
    ],
)
def test_that_every_run_is_a_row_is_told_where_nobody_said_so(runs, roles, tmp_path):
    """The runs and the teams are those that take a rank; a stated policy is no assumption."""
    files = {"gold.csv": GOLD, **{f"submissions/{run}.csv": ANSWERS for run in runs}}
    root = write(tmp_path, {**files, "task.toml": f"[roles]\n{roles}"})
    campaign = read_campaign(root)
    ranked = [run for run in evaluate(campaign).runs if run.competes]
    n_teams = len({entry.team for entry in ranked})
    told = [
        sentence
        for sentence in campaign.task.assumptions
        if sentence.startswith("Every run is a row")
    ]
    assert [
        f"({len(ranked)} runs of {n_teams} team{'s' if n_teams > 1 else ''})" in each
        for each in told
    ] == [True] * (len(ranked) > n_teams)
    assert all('runs = "primary"' in sentence and "[policies]" in sentence for sentence in told)
    write(root, {"task.toml": f'[policies]\nruns = "all"\n[roles]\n{roles}'})
    assert not any("Every run" in sentence for sentence in read_campaign(root).task.assumptions)


@pytest.mark.parametrize("n_empty", [2, 3])
def test_empty_lines_at_the_end_lead_to_the_policy_that_leaves_them_out(n_empty, tmp_path):
    """Their number is said, and nothing of sequences, which one label a line is not."""
    files = {
        "gold.txt": "no\nyes\nno\nyes\n",
        "submissions/A.txt": "no\nyes\nno\nyes\n" + "\n" * n_empty,
    }
    (issue,) = [issue for issue in refusal(tmp_path, files) if issue.fatal]
    last = "the last line is empty" if n_empty == 1 else f"the last {n_empty} lines are empty"
    assert (issue.slug, issue.found.partition("; ")[2]) == ("line-count", last)
    assert 'under [policies]: extra = "ignore"' in issue.remedy
    campaign = read_campaign(write(tmp_path, {"task.toml": '[policies]\nextra = "ignore"\n'}))
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 1]


def test_a_tag_a_line_for_gold_with_sequences_leads_to_their_format(tmp_path):
    """Gold's lines were read as labels of several words, and the team's file has as many lines as they have words."""
    gold = "a b a\nb b a\na a\nb a\n" * 2
    files = {
        "task.toml": '[gold]\nformat = "lines"\n',
        "gold.txt": gold,
        "submissions/A.txt": "\n".join(gold.split()),
    }
    (issue,) = [issue for issue in refusal(tmp_path, files) if issue.slug == "line-count"]
    assert "gold’s lines have 20 words" in issue.found
    assert 'format = "sequences"' in issue.remedy
