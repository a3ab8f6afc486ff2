"""A draft says what was recognised, and leaves to the organiser what is theirs to decide."""

import json
import tomllib

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.draft import draft_settings

from .campaigns import ANSWERS, GOLD, GOOD, write, zipped
from .tables import parquet_table, workbook

CONVENTIONAL = {
    "delimited": GOOD,
    "several endings and runs": {
        **GOOD,
        "submissions/B.txt": "no\n" * 4,
        "submissions/C/1.tsv": ANSWERS.replace(",", "\t"),
    },
    "lines": {"gold.txt": "no\nyes\nno\nyes\n", "submissions/A.txt": "no\n" * 4},
    "JSON Lines": {
        "gold.jsonl": '{"id": 1, "label": "a"}\n{"id": 2, "label": "b"}\n',
        "submissions/A.csv": "1,a\n2,b\n",
    },
    "JSON Lines without ids": {"gold.jsonl": '{"v": "a"}\n{"v": "b"}\n' * 3, "submissions/A.csv": "a\nb\n" * 3},
    "comments": {"gold.csv": "# gold\n" + GOLD, "submissions/A.csv": ANSWERS},
    "wide": {"all.csv": "id,gold,A,B\n1,no,no,yes\n2,yes,no,yes\n"},
    "wide without ids": {"all.csv": "gold;A;B\nno;no;yes\nyes;no;yes\n"},
}


@pytest.mark.parametrize("case", CONVENTIONAL)
def test_with_its_draft_a_conventional_campaign_reads_as_without(case, tmp_path):
    """The same gold, the same submissions, and less that is assumed."""
    root = write(tmp_path, CONVENTIONAL[case])
    before = read_campaign(root)
    draft = draft_settings(root)
    write(root, {"task.toml": draft})
    after = read_campaign(root)
    assert after.gold.digest() == before.gold.digest()
    assert [(s.team, s.run, s.codes.tolist()) for s in after.submissions] == [
        (s.team, s.run, s.codes.tolist()) for s in before.submissions
    ]
    assert len(after.task.assumptions) < len(before.task.assumptions)
    assert "TO DECIDE: the metric" in draft


def test_the_same_file_in_sibling_folders_is_one_submission_each(tmp_path):
    """Whatever else lies there; the gold file is found by its name, and by fitting."""
    files = {f"runs/{team}/out.csv": ANSWERS for team in "ABC"} | {f"runs/{team}/log.txt": "x\n" for team in "AB"}
    root = write(tmp_path, {**files, "eval/truth.csv": GOLD, "eval/key_old.csv": "x,y,z\n"})
    settings = tomllib.loads(draft_settings(root))
    assert settings["gold"]["path"] == "eval/truth.csv"
    assert settings["submissions"]["files"] == "runs/{team}/out.csv"


def test_several_runs_in_sibling_folders_are_found(tmp_path):
    """By their ending."""
    files = {f"runs/{team}/{run}.csv": ANSWERS for team in "ABC" for run in (f"{team}1", f"{team}2")}
    root = write(tmp_path, {**files, "reference.tsv": GOLD})
    assert tomllib.loads(draft_settings(root))["submissions"]["files"] == "runs/{team}/{run}.csv"


def test_two_golds_that_fit_are_left_to_decide(tmp_path):
    """Both stand there as comments, with what they are."""
    files = {f"runs/{team}.csv": ANSWERS for team in "ABC"}
    root = write(tmp_path, {**files, "a/gold.csv": GOLD, "b/gold.csv": GOLD, "truth.csv": "p,q,r\n"})
    draft = draft_settings(root)
    assert tomllib.loads(draft)["gold"] == {}
    assert '# path = "a/gold.csv"' in draft
    assert '# path = "b/gold.csv"' in draft
    assert '# files = "runs/{team}.csv"' in draft
    assert "4 items, labels “no” and “yes”" in draft


def test_a_wide_file_below_the_top_is_found(tmp_path):
    """Where nothing else can be gold or submissions, the draft names it, and the campaign reads."""
    root = write(tmp_path, {"a/b/data.csv": "y,A,B\nno,no,yes\nyes,no,yes\n", "docs/index.rst": "Read me\n"})
    draft = draft_settings(root)
    assert tomllib.loads(draft)["wide"]["path"] == "a/b/data.csv"
    campaign = read_campaign(write(root, {"task.toml": draft}))
    assert [submission.team for submission in campaign.submissions] == ["A", "B"]


def test_wide_files_are_candidates_where_there_is_a_choice(tmp_path):
    """Beside what else the draft leaves open."""
    wide = "y,A,B\nno,no,yes\nyes,no,yes\n"
    draft = draft_settings(write(tmp_path, {"a/one.csv": wide, "b/two.csv": wide, "b/damaged.bin": b"PK\x03\x04\x00"}))
    assert "# [wide]" in draft
    assert '# path = "a/one.csv"' in draft
    assert '# path = "b/two.csv"' in draft
    assert "damaged" not in draft.partition("# [wide]")[2]


OTHER_GOLD = "id,label\n1,left\n2,right\n3,left\n4,right\n"


@pytest.mark.parametrize("german", [GOLD, OTHER_GOLD])
def test_folders_with_a_gold_each_are_test_sets(german, tmp_path):
    """Each a part of its own, with the labels above them where they share them, and all are read."""
    answers = {"en": ANSWERS, "de-AT": ANSWERS if german == GOLD else german}
    golds = {"en/gold.csv": GOLD, "de-AT/truth.csv": german}
    files = {f"{part}/submissions/{team}.csv": text for part, text in answers.items() for team in "AB"}
    root = write(tmp_path, {**golds, **files, "scripts/score.txt": "x\n"})
    draft = draft_settings(root)
    settings = tomllib.loads(draft)
    assert list(settings["subtask"]) == ["de-AT", "en"]
    assert ("labels" in settings) == (german == GOLD)
    assert settings["subtask"]["en"]["submissions"]["files"] == "en/submissions/{team}.csv"
    parts = read_campaigns(write(root, {"task.toml": draft}))
    assert sorted(part.task.part for part in parts) == ["de-AT", "en"]
    assert all([submission.team for submission in part.submissions] == ["A", "B"] for part in parts)


def test_submissions_of_several_kinds_in_a_test_set_are_found_or_left_to_decide(tmp_path):
    """Several endings have one pattern; runs in folders beside files have none."""
    golds = {f"{part}/gold.csv": GOLD for part in "ab"}
    several = {"a/submissions/X.csv": ANSWERS, "a/submissions/Y.tsv": ANSWERS.replace(",", "\t")}
    mixed = {"b/submissions/X.csv": ANSWERS, "b/submissions/Y/1.csv": ANSWERS}
    draft = draft_settings(write(tmp_path, {**golds, **several, **mixed}))
    parts = tomllib.loads(draft)["subtask"]
    assert parts["a"]["submissions"] == {"files": "a/submissions/{team}.*"}
    assert parts["b"]["submissions"] == {}
    assert "TO DECIDE: where the submissions are" in draft


def test_a_folder_with_nothing_to_find_gives_a_form_to_fill_in(tmp_path):
    """Which is valid TOML all the same."""
    draft = draft_settings(write(tmp_path, {"a.txt": "x\n", "strange{name}.txt": "x\n"}))
    assert set(tomllib.loads(draft)) == {"slug", "title", "gold", "submissions"}
    assert draft.count("TO DECIDE") == 3


def test_gold_that_does_not_read_is_listed_with_the_reason(tmp_path):
    """And what to do about it."""
    draft = draft_settings(
        write(tmp_path, {"truth.csv": "id,label\n1,a\n1,b\n", "runs/A.csv": ANSWERS, "runs/B.csv": ANSWERS})
    )
    assert "gold-duplicate-id" in draft
    assert "To do:" in draft


def test_names_in_the_files_cannot_break_out_of_the_draft(tmp_path):
    """Quotes, line breaks and control characters in labels, columns and folder names stay text."""
    label = '"]\nslug = "x\x7f\t\\'
    rows = "".join(f'{n},"{label.replace(chr(34), chr(34) * 2) if n % 2 else "b"}"\n' for n in range(4))
    root = write(tmp_path / 'a"\nb = 1 #', {"gold.csv": f"id,label\n{rows}", "submissions/A.csv": rows})
    settings = tomllib.loads(draft_settings(root))
    assert settings["labels"] == sorted(["b", label])
    assert set(settings) == {"slug", "title", "labels", "gold", "submissions"}


def test_a_folder_that_is_none_is_refused(tmp_path):
    """As everywhere."""
    with pytest.raises(InputError):
        draft_settings(tmp_path / "nowhere")


GOLD_ROWS = [
    ["id", "label", "text"],
    *([f"{number}", "yes" if number % 3 else "no", f"t{number}"] for number in range(9)),
]
OTHER_FORMATS = {
    "a workbook": ("gold.xlsx", workbook({"About": [["Task 4"]], "Gold": GOLD_ROWS})),
    "Parquet": (
        "gold.parquet",
        parquet_table(id=[row[0] for row in GOLD_ROWS[1:]], label=[row[1] for row in GOLD_ROWS[1:]]),
    ),
    "JSON": ("gold.json", json.dumps({row[0]: row[1] for row in GOLD_ROWS[1:]})),
    "JSON inside": (
        "gold.json",
        json.dumps({"items": [{"uid": row[0], "y": {"label": row[1]}} for row in GOLD_ROWS[1:]]}),
    ),
    "JSON Lines": (
        "gold.jsonl",
        "\n".join(json.dumps({"meta": {"id": row[0]}, "label": row[1]}) for row in GOLD_ROWS[1:]),
    ),
}


@pytest.mark.parametrize("how", OTHER_FORMATS)
def test_a_draft_states_how_gold_of_another_format_is_read(how, tmp_path):
    """And the campaign reads with it as it does without."""
    name, content = OTHER_FORMATS[how]
    answers = "id,label\n" + "".join(f"{row[0]},no\n" for row in GOLD_ROWS[1:])
    root = write(tmp_path, {name: content, "submissions/A.csv": answers, "submissions/B.csv": answers})
    recognised = read_campaign(root)
    draft = draft_settings(root)
    write(root, {"task.toml": draft})
    stated = read_campaign(root)
    assert stated.gold.digest() == recognised.gold.digest()
    assert "format = " in draft
    assert not [sentence for sentence in stated.task.assumptions if sentence.startswith("gold")]


def test_a_draft_says_why_submissions_cannot_be_read(tmp_path):
    """With what to do about each kind; gold that stands where the conventions say is settled all the same."""
    scores = "".join(f'{{"id": {n}, "score": {n / 7}}}\n' for n in range(1, 5))
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.jsonl": scores, "submissions/B.csv": b"\xff"})
    draft = draft_settings(root)
    assert tomllib.loads(draft)["gold"]["path"] == "gold.csv"
    assert "# Tried 2, of which none can be read as it is." in draft
    assert "# TO DECIDE: 1 × no-usable-answer, first in submissions/A.jsonl: " in draft
    assert "# TO DECIDE: 1 × wrong-encoding, first in submissions/B.csv: " in draft
    assert 'score = "score", threshold = …' in draft


def test_submissions_by_convention_are_no_candidates_for_gold(tmp_path):
    """Whatever they are called: answer.csv is called so by the platforms."""
    packed = {f"submissions/T{n}.zip": zipped({"answer.csv": ANSWERS}) for n in range(3)}
    draft = draft_settings(write(tmp_path, {"reference/gold.csv": GOLD, **packed}))
    assert tomllib.loads(draft)["gold"]["path"] == "reference/gold.csv"
    assert "submissions/T0.zip" not in draft


def test_a_file_that_is_like_no_other_is_offered_as_gold_where_no_name_says_so(tmp_path):
    """By init and by the message; what names it decides it: ref, solution."""
    files = {"data/test_set.csv": GOLD, "runs/A.csv": ANSWERS, "runs/B.csv": ANSWERS}
    draft = draft_settings(write(tmp_path / "silent", files))
    assert '# path = "data/test_set.csv"' in draft
    with pytest.raises(InputError) as caught:
        read_campaign(tmp_path / "silent")
    assert 'path = "data/test_set.csv"' in caught.value.issues[0].remedy
    for name in ("ref", "solution", "test_refs"):
        named = write(tmp_path / name, {f"data/{name}.csv": GOLD, "runs/A.csv": ANSWERS, "runs/B.csv": ANSWERS})
        assert f'\npath = "data/{name}.csv"' in draft_settings(named)


def test_what_teams_call_their_own_files_is_no_gold(tmp_path):
    """solution.csv in each team's folder, or Ref.csv among the runs."""
    teams = {f"submissions/{team}/solution.csv": ANSWERS for team in "ABC"}
    with pytest.raises(InputError) as caught:
        read_campaign(write(tmp_path / "folders", {"test.csv": GOLD, **teams}))
    assert [issue.remedy for issue in caught.value.issues] == ['write into task.toml, under [gold]: path = "test.csv"']
    runs = {f"runs/{team}.csv": ANSWERS for team in ("A", "B", "Ref", "Solutions")}
    draft = draft_settings(write(tmp_path / "runs", {"data/truth.csv": GOLD, **runs}))
    assert '\npath = "data/truth.csv"' in draft


def test_sibling_folders_of_gold_and_of_runs_are_no_teams(tmp_path):
    """As CodaLab has them: ref and res."""
    root = write(tmp_path, {"ref/truth.csv": GOLD, "res/A.csv": ANSWERS, "res/B.csv": ANSWERS})
    write(root, {"task.toml": draft_settings(root)})
    assert [(each.team, each.run) for each in read_campaign(root).submissions] == [("A", None), ("B", None)]


@pytest.mark.parametrize(
    ("gold", "runs"),
    [
        ("data/ref.csv", ("data/sys1.csv", "data/sys2.csv")),
        ("test_solution.csv", ("alpha.csv", "beta.csv", "gamma.csv")),
        ("solutions/test.csv", ("teams/a/test.csv", "teams/b/test.csv")),
    ],
)
def test_a_reference_beside_the_runs_is_offered_as_gold(gold, runs, tmp_path):
    files = {gold: GOLD, **dict.fromkeys(runs, ANSWERS)}
    assert f'path = "{gold}"' in draft_settings(write(tmp_path, files))


@pytest.mark.parametrize("named", ["{team}_predictions.zip", "ID_{number}_{team}.zip", "{team} upload.zip"])
def test_archives_of_one_team_each_are_drafted_so_that_all_are_read(named, tmp_path):
    """Whatever the file in each is called: the most frequent name is not everybody's."""
    teams = ["anna", "ben-k", "c-3", "dora", "e.f", "gil", "Team H", "x1"]
    inner = [
        "predictions.csv",
        "predictions.csv",
        "predictions.csv",
        "out.tsv",
        "out.tsv",
        "run.txt",
        "a/b.csv",
        "p.csv",
    ]
    packed = {
        named.format(team=team, number=511 + at): zipped({name: ANSWERS, "README.md": "by hand"})
        for at, (team, name) in enumerate(zip(teams, inner, strict=True))
    }
    root = write(tmp_path, {"gold.csv": GOLD, "bulk_download.zip": zipped(packed)})
    draft = draft_settings(root)
    assert "used nowhere" not in draft
    write(root, {"task.toml": draft})
    assert {submission.team for submission in read_campaign(root).submissions} == set(teams)


def test_a_draft_counts_the_files_that_it_does_not_use(tmp_path):
    """And names the first; nothing is left out in silence."""
    files = {f"runs/{team}/out.csv": ANSWERS for team in "ABC"} | {f"runs/{team}/answers.tsv": ANSWERS for team in "DE"}
    draft = draft_settings(write(tmp_path, {**files, "gold.csv": GOLD}))
    assert "# TO DECIDE: 2 files are used nowhere: runs/D/answers.tsv and runs/E/answers.tsv.\n" in draft
    assert "used nowhere" not in draft_settings(write(tmp_path / "whole", GOOD))
