"""Scores, combinations, aliases, composite ids and groups: each applied where task.toml says so, and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import evaluate
from audit.evaluation import evaluate as evaluate_campaign
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.answers import Threshold, number_of

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write
from .tables import parquet_table, workbook

NO, YES, MISSING, UNUSABLE = range(4)


def codes(root):
    """The codes of the only submission."""
    (submission,) = read_campaign(root).submissions
    return submission.codes.tolist()


# Scores

SCORED = '[submissions]\nscore = "p"\nthreshold = 0.5\nabove = "yes"\nbelow = "no"\n'
SCORES = ["0.7", "0.5", "0.4999", "-1"]
SCORE_FILES = {
    "A.csv": "id,p,note\n"
    + "".join(f"{number},{score},no\n" for number, score in enumerate(SCORES, start=1)),
    "A.jsonl": "".join(
        f'{{"id": {number}, "p": {score}}}\n' for number, score in enumerate(SCORES, start=1)
    ),
    "A.json": json.dumps({str(n): {"p": float(score)} for n, score in enumerate(SCORES, start=1)}),
    "A.xlsx": workbook(
        [["id", "p"], *([n, float(score)] for n, score in enumerate(SCORES, start=1))]
    ),
    "A.parquet": parquet_table(id=[1, 2, 3, 4], p=list(map(float, SCORES))),
}


@pytest.mark.parametrize("name", SCORE_FILES)
def test_a_score_from_the_threshold_on_is_above(name, tmp_path):
    """In every format that has columns; one that equals the threshold is above."""
    files = {"gold.csv": GOLD, f"submissions/{name}": SCORE_FILES[name], "task.toml": SCORED}
    assert codes(write(tmp_path, files)) == [YES, YES, NO, NO]


def test_the_rule_is_among_the_assumptions_where_columns_are_recognised(tmp_path):
    """In words."""
    files = {"gold.csv": GOLD, "submissions/A.csv": SCORE_FILES["A.csv"], "task.toml": SCORED}
    sentence = read_campaign(write(tmp_path, files)).task.assumptions[-1]
    assert "column “p” the scores; scores from 0.5 on are “yes”, others “no”" in sentence


@pytest.mark.parametrize(
    ("abstain", "expected"),
    [
        ("[0.4, 0.6]", [YES, MISSING, MISSING, NO]),
        ("[0.5, 0.7]", [MISSING, MISSING, NO, NO]),
        ('"-1"', [YES, YES, NO, MISSING]),
        ('"-1.0"', [YES, YES, NO, MISSING]),
        ('"none"', [YES, YES, NO, NO]),
    ],
)
def test_a_band_or_a_value_means_abstention(abstain, expected, tmp_path):
    """Both ends of the band belong to it, and a number has many writings."""
    toml = f"{SCORED}abstain = {abstain}\n"
    files = {"gold.csv": GOLD, "submissions/A.csv": SCORE_FILES["A.csv"], "task.toml": toml}
    assert codes(write(tmp_path, files)) == expected


@pytest.mark.parametrize(
    "score",
    [
        "nan",
        "inf",
        "-Infinity",
        "1e999",
        "high",
        "0,7",
        "1_0",
        "0 .7",
        "\N{NO-BREAK SPACE}0.7",
        "\N{ARABIC-INDIC DIGIT ONE}",
        "yes",
    ],
)
def test_a_score_that_is_no_finite_number_is_unusable(score, tmp_path):
    """Even where it is a label; and nothing is guessed from it."""
    text = SCORE_FILES["A.csv"].replace("1,0.7", f'1,"{score}"')
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": text, "task.toml": SCORED})
    campaign = read_campaign(root)
    assert campaign.submissions[0].codes.tolist() == [UNUSABLE, YES, NO, NO]
    assert [issue.slug for issue in campaign.issues] == ["unusable-label"]
    assert campaign.submissions[0].unusable_labels == ((f"score {score}", 1),)


@pytest.mark.parametrize("score", [" 0.7", "0.7 ", "  7e-1\t"])
def test_blanks_around_a_number_change_nothing(score, tmp_path):
    """As programs write that fill columns up; of a label they would be a part."""
    text = SCORE_FILES["A.csv"].replace("1,0.7", f'1,"{score}"')
    plain, filled = (
        read_campaign(
            write(
                tmp_path / name,
                {"gold.csv": GOLD, "submissions/A.csv": content, "task.toml": SCORED},
            )
        )
        for name, content in {"plain": SCORE_FILES["A.csv"], "filled": text}.items()
    )
    assert filled.submissions[0].codes.tolist() == plain.submissions[0].codes.tolist()
    assert not filled.issues


def test_scores_can_stand_one_per_line(tmp_path):
    """By position, where the format says so."""
    toml = SCORED.replace('score = "p"', 'format = "lines"\nscore = 1')
    files = {"gold.csv": GOLD, "submissions/A.txt": ".7\n0.5\n\n-1\n", "task.toml": toml}
    assert codes(write(tmp_path, files)) == [YES, YES, MISSING, NO]


def test_gold_can_be_scores(tmp_path):
    """As with crowd ratings."""
    gold = "id,rating\n1,0.1\n2,0.9\n3,0.2\n4,0.8\n"
    toml = SCORED.replace("submissions", "gold").replace('"p"', '"rating"')
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": gold, "submissions/A.csv": ANSWERS, "task.toml": toml})
    )
    assert campaign.task.label_set.labels == ("no", "yes")
    assert campaign.gold.codes.tolist() == [NO, YES, NO, YES]


@given(score=st.floats(allow_nan=True, allow_infinity=True), threshold=st.floats(-10, 10))
def test_every_finite_score_has_one_of_two_labels(score, threshold):
    """And no other score has."""
    (label,) = Threshold(threshold, "yes", "no").labels([[repr(score)]])
    assert label == (
        f"score {score!r}"
        if number_of(repr(score)) is None
        else "yes"
        if score >= threshold
        else "no"
    )


# Combinations

COMBINED = """labels = ["none", "irony", "sarcasm"]
[combinations]
"0,0" = "none"
"1,0" = "irony"
"1,1" = "sarcasm"
[submissions]
label = ["irony", "sarcasm"]
"""
GOLD_OF_THREE = "id,label\n1,none\n2,irony\n3,sarcasm\n4,none\n5,none\n"
TWO_COLUMNS = "id,sarcasm,irony\n1,0,0\n2,0,1\n3,1,1\n4,1,0\n5,,\n"


def test_labels_can_be_read_from_several_columns(tmp_path):
    """In the order of the setting; a combination that is no class is unanswered, and so is one without any value."""
    files = {"gold.csv": GOLD_OF_THREE, "submissions/A.csv": TWO_COLUMNS, "task.toml": COMBINED}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.submissions[0].codes.tolist() == [0, 1, 2, 4, 3]
    assert campaign.submissions[0].unusable_labels == (("combination 0,1", 1),)


def test_gold_can_be_read_from_several_columns(tmp_path):
    """Where a combination that is no class is an error."""
    toml = COMBINED.replace("submissions", "gold")
    gold = TWO_COLUMNS.replace("4,1,0", "4,0,0").replace("5,,", "5,0,1")
    root = write(
        tmp_path, {"gold.csv": gold, "submissions/A.csv": GOLD_OF_THREE, "task.toml": toml}
    )
    assert read_campaign(root).gold.codes.tolist() == [0, 1, 2, 0, 1]
    write(root, {"gold.csv": TWO_COLUMNS})
    assert {(issue.slug, issue.lines) for issue in refusal(root)} == {
        ("gold-unknown-label", (5,)),
        ("gold-missing-label", (6,)),
    }


# Spellings


def test_no_spelling_is_accepted_unless_task_toml_says_so(tmp_path):
    """Not even a blank at an end."""
    root = write(
        tmp_path,
        {**GOOD, "submissions/A.csv": ANSWERS.replace("4,yes", "4,Yes").replace("1,no", "1,no ")},
    )
    assert codes(root) == [UNUSABLE, NO, NO, UNUSABLE]


def test_aliases_and_case_are_read_as_the_label_and_counted(tmp_path):
    """In gold and submissions alike, and an alias can mean no answer."""
    toml = 'fold_case = true\n[aliases]\n"no " = "no"\n"n/a" = ""\ny = "yes"\n'
    files = {
        "task.toml": toml,
        "gold.csv": "id,label\n1,no\n2,yes\n3,no\n4,y\n5,yes\n",
        "submissions/A.csv": "id,label\n1,no \n2,NO\n3,N/A\n4,Y\n5,maybe\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == ("no", "yes")
    assert campaign.gold.codes.tolist() == [NO, YES, NO, YES, YES]
    assert campaign.submissions[0].codes.tolist() == [NO, NO, MISSING, YES, UNUSABLE]


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("target", ["yes", "YES", "Yes"])
def test_gold_spells_the_label_that_an_alias_stands_for(target, tmp_path):
    """Whatever case the alias writes it in: what says the same has the same answers, whoever says it."""
    files = {
        "task.toml": f'fold_case = true\n[aliases]\ny = "{target}"\n',
        "gold.csv": "id,label\n1,No\n2,Yes\n3,No\n4,y\n5,Yes\n",
        "submissions/A.csv": "id,label\n1,No\n2,Yes\n3,No\n4,Yes\n5,y\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == ("No", "Yes")
    assert campaign.gold.codes.tolist() == [NO, YES, NO, YES, YES]
    assert campaign.submissions[0].codes.tolist() == [NO, YES, NO, YES, YES]


@pytest.mark.usefixtures("copies_accepted")
def test_two_aliases_that_write_one_label_in_two_ways_make_one_class(tmp_path):
    """A team that writes the label out is as right as one that uses either alias."""
    files = {
        "task.toml": 'fold_case = true\n[aliases]\ny = "yes"\nj = "YES"\n',
        "gold.csv": "id,label\n1,no\n2,y\n3,no\n4,j\n",
        "submissions/A.csv": "id,label\n1,no\n2,yes\n3,no\n4,YES\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert len(campaign.task.label_set) == 2
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


CLASHES = {
    "two aliases": ('n = "no"\nN = "yes"\n', "task.toml", (4,)),
    "an alias and a label that another stands for": ('YES = "no"\ny = "yes"\n', "task.toml", (3,)),
    "a chain": ('y = "yes"\nyes = "no"\n', "task.toml", (4,)),
    "an alias and a label of gold": ('NO = "yes"\n', "gold.csv", (2,)),
}


@pytest.mark.parametrize("case", CLASHES)
def test_aliases_that_case_makes_one_are_refused(case, tmp_path):
    """Two labels would become one in silence, or one team's answers another label."""
    aliases, file, lines = CLASHES[case]
    root = write(tmp_path, {**GOOD, "task.toml": f"fold_case = true\n[aliases]\n{aliases}"})
    (issue,) = refusal(root)
    assert (issue.slug, issue.file, issue.lines) == ("bad-setting", file, lines)
    assert "fold_case = true makes one spelling of both" in issue.found


@pytest.mark.usefixtures("copies_accepted")
def test_an_alias_that_folding_would_read_anyway_is_no_clash(tmp_path):
    """And one for a label exactly as gold has it makes one label of two, which is what it says."""
    gold = "id,label\n1,no\n2,yes\n3,no\n4,maybe\n"
    toml = 'fold_case = true\n[aliases]\nYES = "yes"\nmaybe = "no"\n'
    files = {
        "gold.csv": gold,
        "submissions/A.csv": gold.replace("yes", "Yes").replace("maybe", "MAYBE"),
        "task.toml": toml,
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == ("no", "yes")
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_without_a_label_set_the_usual_spelling_in_gold_is_the_label(tmp_path):
    """The most frequent one."""
    gold = "id,label\n1,No\n2,Yes\n3,no\n4,Yes\n5,No\n"
    files = {
        "task.toml": "fold_case = true\n",
        "gold.csv": gold,
        "submissions/A.csv": ANSWERS + "5,no\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == ("No", "Yes")
    assert campaign.submissions[0].codes.tolist() == [NO, NO, NO, YES, NO]


def test_spellings_hold_in_a_wide_file(tmp_path):
    """For gold and for every system."""
    wide = "id,gold,A,B\n1,no,NO,no\n2,yes,y,Yes\n3,No,no,n\n4,yes,yes,yes\n"
    toml = 'fold_case = true\n[aliases]\ny = "yes"\n[wide]\n'
    campaign = read_campaign(write(tmp_path, {"all.csv": wide, "task.toml": toml}))
    assert [submission.codes.tolist() for submission in campaign.submissions] == [
        [NO, YES, NO, YES],
        [NO, YES, UNUSABLE, YES],
    ]


def test_a_file_in_another_spelling_is_recognised_by_its_labels(tmp_path):
    """Capitals are labels where case is one, so the column is known by its content."""
    files = {
        **GOOD,
        "submissions/A.csv": "4,YES\n1,NO\n2,NO\n3,NO\n",
        "task.toml": "fold_case = true\n",
    }
    assert codes(write(tmp_path, files)) == [NO, NO, NO, YES]


# Composite ids

PAIRS = [("q1", "a1", "no"), ("q1", "a2", "yes"), ("q2", "a1", "no"), ("q2", "a2", "yes")]
COMPOSITE_GOLD = "question,answer,label\n" + "".join(f"{','.join(row)}\n" for row in PAIRS)
COMPOSITE = '[gold]\nid = ["question", "answer"]\nlabel = "label"\n'
COMPOSITE_FILES = {
    "the same names": ("A.csv", COMPOSITE_GOLD),
    "the same names in another order": (
        "A.csv",
        "label,answer,question\n" + "".join(f"{c},{b},{a}\n" for a, b, c in PAIRS),
    ),
    "the same places": ("A.tsv", "".join(f"{a}\t{b}\t{c}\n" for a, b, c in PAIRS[::-1])),
    "JSON Lines": (
        "A.jsonl",
        "".join(json.dumps({"answer": b, "question": a, "label": c}) + "\n" for a, b, c in PAIRS),
    ),
    "a workbook": ("A.xlsx", workbook([["question", "answer", "label"], *PAIRS])),
    "Parquet": (
        "A.parquet",
        parquet_table(
            question=[p[0] for p in PAIRS],
            answer=[p[1] for p in PAIRS],
            label=[p[2] for p in PAIRS],
        ),
    ),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("how", COMPOSITE_FILES)
def test_an_id_of_several_columns_is_recognised_by_the_same_columns(how, tmp_path):
    """By their names, or by their places where gold's ids stand there."""
    name, content = COMPOSITE_FILES[how]
    files = {"gold.csv": COMPOSITE_GOLD, f"submissions/{name}": content, "task.toml": COMPOSITE}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.gold.item_ids == ("q1\ta1", "q1\ta2", "q2\ta1", "q2\ta2")
    assert campaign.submissions[0].codes.tolist() == [NO, YES, NO, YES]
    assert not campaign.issues


def test_an_id_of_several_columns_can_be_stated_by_number(tmp_path):
    """Where neither names nor places are the same."""
    text = "".join(f"{c};x;{b};{a}\n" for a, b, c in PAIRS)
    toml = f"{COMPOSITE}[submissions]\nid = [4, 3]\nlabel = 1\n"
    files = {"gold.csv": COMPOSITE_GOLD, "submissions/A.csv": text, "task.toml": toml}
    assert codes(write(tmp_path, files)) == [NO, YES, NO, YES]


def test_messages_show_the_parts_of_an_id(tmp_path):
    """With commas between, never as an escaped tab."""
    text = COMPOSITE_GOLD.replace("q2,a1", "q2,a9") + "q1,a1,no\n"
    files = {"gold.csv": COMPOSITE_GOLD, "submissions/A.csv": text, "task.toml": COMPOSITE}
    issues = {issue.slug: issue for issue in refusal(tmp_path, files)}
    assert "on lines 2, 6" in issues["duplicate-item"].found
    assert issues["duplicate-item"].items == "“q1, a1”"
    assert issues["unknown-item"].items.startswith("“q2, a9”. Did you mean “q2, a1”?")
    assert "“q2, a1”" in issues["missing-item"].items
    assert not any("x09" in str(issue) for issue in issues.values())


def test_a_part_that_holds_a_tab_is_doubtful(tmp_path):
    """Two ids could be one."""
    entries = [{"question": a, "answer": b, "label": c} for a, b, c in PAIRS]
    entries[1]["answer"] = "a\t2"
    files = {
        "gold.csv": COMPOSITE_GOLD,
        "submissions/A.json": json.dumps(entries),
        "task.toml": COMPOSITE,
    }
    issue = refusal(tmp_path, files)[0]
    assert (issue.slug, issue.lines) == ("doubtful-id", ())
    assert issue.found.startswith("entry 2: ")


# Groups

GROUPED = "id,label,author\n1,no,x\n2,yes,y\n3,no,x\n4,yes,z\n"


def test_groups_are_numbered_as_they_first_appear_and_change_nothing_else(tmp_path):
    """One column or several."""
    files = {"gold.csv": GROUPED, "submissions/A.csv": ANSWERS}
    plain = read_campaign(write(tmp_path, files))
    for group, expected in (
        ('"author"', [0, 1, 0, 2]),
        ('["author", "label"]', [0, 1, 0, 2]),
        ("2", [0, 1, 0, 1]),
    ):
        campaign = read_campaign(write(tmp_path, {"task.toml": f"[gold]\ngroup = {group}\n"}))
        assert campaign.gold.groups.tolist() == expected
        assert campaign.gold.groups.dtype == "int64"
        assert (campaign.gold.codes == plain.gold.codes).all()
        assert (campaign.submissions[0].codes == plain.submissions[0].codes).all()
        assert "holds the ids, column “label” the labels, column" in campaign.task.assumptions[-2]
    assert plain.gold.groups is None


def test_groups_from_files_resample_as_groups_from_memory_do(tmp_path):
    """The same intervals to the last bit."""
    labels = ["no", "yes", "yes", "no", "yes", "no"] * 5
    answers = ["no", "no", "yes", "yes", "yes", "no"] * 5
    authors = [f"a{9 - number // 4}" for number in range(30)]
    rows = enumerate(zip(labels, answers, authors, strict=True))
    gold = "id,label,author\n" + "".join(
        f"{n},{label},{author}\n" for n, (label, _, author) in rows
    )
    files = {
        "gold.csv": gold,
        "submissions/A.csv": "id,label\n"
        + "".join(f"{n},{label}\n" for n, label in enumerate(answers)),
        "submissions/B.csv": "id,label\n"
        + "".join(f"{n},{label}\n" for n, label in enumerate(labels[::-1])),
        "task.toml": '[gold]\ngroup = "author"\n[resampling]\nseed = 7\n',
    }
    campaign = read_campaign(write(tmp_path, files))
    from_memory = evaluate(labels, {"A": answers, "B": labels[::-1]}, groups=authors, seed=7)
    from_files = evaluate_campaign(campaign)
    assert from_files.certainty.n_groups == from_memory.certainty.n_groups == 8
    assert from_files.intervals.equals(from_memory.intervals)


def test_a_campaign_can_do_without_its_certainty(tmp_path):
    """``certainty = false`` in task.toml leaves intervals and comparisons out of every evaluation."""
    files = {
        "gold.csv": "id,label\n1,no\n2,yes\n3,no\n",
        "submissions/A.csv": "id,label\n1,no\n2,no\n3,no\n",
        "task.toml": "[resampling]\ncertainty = false\n",
    }
    assert evaluate_campaign(read_campaign(write(tmp_path, files))).certainty is None


def test_a_wide_file_can_have_groups(tmp_path):
    """Their column is no system."""
    wide = "id,gold,author,A\n1,no,x,no\n2,yes,y,no\n3,no,x,no\n4,yes,,yes\n"
    root = write(
        tmp_path, {"all.csv": wide.replace(",,", ",z,"), "task.toml": '[wide]\ngroup = "author"\n'}
    )
    campaign = read_campaign(root)
    assert campaign.gold.groups.tolist() == [0, 1, 0, 2]
    assert [submission.team for submission in campaign.submissions] == ["A"]
    write(root, {"all.csv": wide})
    assert [(issue.slug, issue.lines) for issue in refusal(root)] == [("gold-bad-groups", (5,))]


def test_a_column_of_groups_that_is_not_there_is_named(tmp_path):
    """Also where the file has no columns at all."""
    root = write(tmp_path, {**GOOD, "task.toml": '[gold]\ngroup = "author"\n'})
    assert [issue.slug for issue in refusal(root)] == ["no-such-column"]
    write(root, {"gold.csv": "no\nyes\nno\nyes\n"})
    assert [issue.slug for issue in refusal(root)] == ["no-such-column"]


# Settings that do not go together

CONTRADICTIONS = {
    "score without threshold": '[submissions]\nscore = "p"\nabove = "yes"\nbelow = "no"',
    "threshold without score": "[submissions]\nthreshold = 0.5",
    "score beside label": f"{SCORED}label = 2",
    "a class that is none": f'labels = ["no", "maybe"]\n{SCORED}',
    "a band upside down": f"{SCORED}abstain = [0.6, 0.4]",
    "a band of three": f"{SCORED}abstain = [0.1, 0.2, 0.3]",
    "an empty abstention": f'{SCORED}abstain = ""',
    "infinite": SCORED.replace("0.5", "inf"),
    "several labels without their meaning": '[submissions]\nlabel = ["a", "b"]',
    "no column": "[submissions]\nid = []",
    "a column twice": '[submissions]\nid = ["a", "a"]',
    "several scores": SCORED.replace('"p"', '["p", "q"]'),
    "a combination that is no class": 'labels = ["a", "b"]\n[combinations]\n"0,1" = "c"',
    "an alias of no class": 'labels = ["a", "b"]\n[aliases]\nx = "c"',
    "an alias that is a class": 'labels = ["a", "b"]\n[aliases]\na = "b"',
    "an alias that is a number": "[aliases]\nx = 1",
    "aliases that are no table": "aliases = 1",
    "labels that case makes one": 'labels = ["a", "A"]\nfold_case = true',
    "a sheet in a text file": '[submissions]\nformat = "delimited"\nsheet = 1',
    "records in lines": '[submissions]\nformat = "jsonl"\nrecords = "data"',
    "a delimiter in JSON": '[gold]\nformat = "json"\ndelimiter = "tab"',
    "an id of a line": '[gold]\nformat = "lines"\nid = 1',
    "a negative skip": "[gold]\nskip = -1",
    "a sheet of no name": "[gold]\nsheet = 0",
    "groups of submissions that are no columns": "[gold]\ngroup = true",
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_settings_that_do_not_go_together_are_bad(case, tmp_path):
    """With the line of one of them, and what would do."""
    issues = refusal(write(tmp_path, {**GOOD, "task.toml": f"{CONTRADICTIONS[case]}\n"}))
    assert {issue.slug for issue in issues} == {"bad-setting"}
    assert all(issue.lines and issue.expected for issue in issues)


def test_lines_above_the_header_can_be_skipped(tmp_path):
    """N of them, whatever they hold; their numbers still count."""
    title = '"Answers\nof team, A"\n# from 2031\n'
    for text in (title + ANSWERS, title + "# done\n" + ANSWERS):
        root = write(
            tmp_path,
            {"gold.csv": GOLD, "submissions/A.csv": text, "task.toml": "[submissions]\nskip = 3\n"},
        )
        assert codes(root) == [NO, NO, NO, YES]
    write(root, {"submissions/A.csv": title + ANSWERS + "4,yes\n"})
    assert [issue.lines for issue in refusal(root)] == [(8, 9)]


@pytest.mark.parametrize("skip", [4, 6, 60])
def test_skipping_too_much_loses_no_answer_in_silence(skip, tmp_path):
    """An item without an answer is an issue, and a file without a line is refused."""
    root = write(tmp_path, {**GOOD, "task.toml": f"[submissions]\nskip = {skip}\n"})
    if skip == 4:
        assert [issue.slug for issue in read_campaign(root).issues] == ["missing-item"]
    else:
        assert refusal(root)
