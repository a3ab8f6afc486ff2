"""`audit run --gold GOLD SUBMISSIONS…`: each rule on a small invented folder, and each bad input with its message."""

import json
import re
import zipfile
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from audit.cli.program import app
from audit.errors import InputError, UsageError
from audit.formats.campaign.campaigns import campaigns_of
from audit.formats.door.opening import open_door
from audit.formats.door.said import Said, scale_of

N = 40
GOLD = list(islice(cycle(["yes", "no", "no", "maybe"]), N))


def answers(shift):
    """Answers that are right on most items, others for each shift."""
    return [GOLD[(item + 1) % N] if item % 7 == shift else label for item, label in enumerate(GOLD)]


def write(path, header, *columns, separator=","):
    lines = [separator.join(header)] if header else []
    lines += [separator.join(map(str, row)) for row in zip(*columns, strict=True)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(gold, *submissions, skip_rejected=False, **said):
    """The campaign of what was named, and what was told of it."""
    opening = open_door(gold, list(submissions), Said(**said), skip_rejected=skip_rejected)
    with opening.tree() as tree:
        (campaign,) = campaigns_of(tree)
    return campaign, opening.told


def n_right(campaign):
    return {
        (each.team, each.run): int(np.count_nonzero(each.codes == campaign.gold.codes))
        for each in campaign.submissions
    }


def expected_right(shift):
    return sum(one == other for one, other in zip(GOLD, answers(shift), strict=True))


IDS = [f"item{number:03}" for number in range(N)]


@pytest.fixture
def campaign_folder(tmp_path):
    """Gold with a text and a topic, and three teams that call their columns as they like."""
    topics = list(islice(cycle(["a", "b"]), N))
    texts = [f"text number {number} of the test set" for number in range(N)]
    gold = write(
        tmp_path / "data" / "testset.csv",
        ["key", "text", "topic", "stance"],
        IDS,
        texts,
        topics,
        GOLD,
    )
    write(tmp_path / "res" / "Ada" / "out.csv", ["document", "answer"], IDS, answers(0))
    order = list(reversed(range(N)))
    write(
        tmp_path / "res" / "Ben" / "out.tsv",
        ["nr", "said"],
        [IDS[item] for item in order],
        [answers(1)[item] for item in order],
        separator="\t",
    )
    write(tmp_path / "res" / "Cem" / "out.txt", [], IDS, answers(2), separator=" ")
    return gold, tmp_path / "res"


def test_ids_and_labels_are_found_under_any_name_and_in_any_order(campaign_folder):
    campaign, told = read(*campaign_folder)
    assert n_right(campaign) == {
        (team, None): expected_right(shift) for shift, team in enumerate(["Ada", "Ben", "Cem"])
    }
    assert told[0] == (
        "Gold: data/testset.csv, 40 items, labels from “stance”. 3 submissions, matched by id (“key”)."
    )


def test_nothing_is_written_into_the_folder_of_the_files(campaign_folder, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    read(*campaign_folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_column_that_all_teams_repeat_is_an_input_and_no_label(tmp_path):
    topics = list(islice(cycle(["a", "b"]), N))
    gold = write(tmp_path / "gold.csv", ["id", "topic", "stance"], IDS, topics, GOLD)
    for shift, team in enumerate(["Ada", "Ben"]):
        write(
            tmp_path / "res" / f"{team}.csv", ["id", "topic", "stance"], IDS, topics, answers(shift)
        )
    _, told = read(gold, tmp_path / "res")
    assert "labels from “stance”" in told[0]


def test_two_columns_of_labels_are_one_question_whose_answers_run(tmp_path):
    other = list(islice(cycle(["low", "high", "high"]), N))
    gold = write(tmp_path / "gold.csv", ["id", "level", "stance"], IDS, other, GOLD)
    for shift, team in enumerate(["Ada", "Ben"]):
        levels = other[shift + 1 :] + other[: shift + 1]
        write(
            tmp_path / "res" / f"{team}.csv", ["id", "level", "stance"], IDS, levels, answers(shift)
        )
    with pytest.raises(UsageError, match=r"--label 'level' · or · --label 'stance'") as asked:
        read(gold, tmp_path / "res")
    for column in re.findall(r"--label '(\w+)'", str(asked.value)):
        campaign, told = read(gold, tmp_path / "res", label=column)
        assert len(campaign.submissions) == 2
        assert f"labels from “{column}”" in told[0]


def test_a_column_of_labels_that_few_have_is_said_beside(tmp_path):
    other = list(islice(cycle(["low", "high", "high"]), N))
    gold = write(tmp_path / "gold.csv", ["id", "level", "stance"], IDS, other, GOLD)
    for shift, team in enumerate(["Ada", "Ben", "Cem"]):
        write(tmp_path / "res" / f"{team}.csv", ["id", "stance"], IDS, answers(shift))
    shifted = other[1:] + other[:1]
    write(tmp_path / "res" / "Dov.csv", ["id", "stance", "level"], IDS, answers(3), shifted)
    _, told = read(gold, tmp_path / "res")
    assert (
        "“level” holds labels, too, and 1 of the submissions has it: --label level makes its report."
        in told
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda item_id: f"images/test/{item_id}", "folders"),
        (lambda item_id: f"{item_id}.png", "folders and endings"),
    ],
)
def test_ids_that_differ_by_folders_or_endings_are_matched_and_that_is_said(
    tmp_path, change, words
):
    gold = write(tmp_path / "gold.csv", ["file", "class"], list(map(change, IDS)), GOLD)
    for shift, team in enumerate(["Ada", "Ben"]):
        write(tmp_path / "res" / f"{team}.csv", ["name", "label"], IDS, answers(shift))
    campaign, told = read(gold, tmp_path / "res")
    assert n_right(campaign)["Ada", None] == expected_right(0)
    assert f"compared without {words}" in told[0]


def test_leading_zeros_and_decimals_of_ids_are_no_difference(tmp_path):
    numbers = [f"{number:04}" for number in range(1, N + 1)]
    gold = write(tmp_path / "gold.csv", ["id", "label"], numbers, GOLD)
    write(
        tmp_path / "a.csv", ["id", "label"], [number.lstrip("0") for number in numbers], answers(0)
    )
    write(
        tmp_path / "b.csv", ["id", "label"], [number.lstrip("0") for number in numbers], answers(1)
    )
    campaign, _ = read(gold, tmp_path / "a.csv", tmp_path / "b.csv")
    assert n_right(campaign)["a", None] == expected_right(0)


def test_two_columns_are_the_id_where_none_is_alone(tmp_path):
    queries = [f"q{item // 8}" for item in range(N)]
    passages = [f"p{item % 8}" for item in range(N)]
    zeros = ["0"] * N
    scores = [str(item % 4) for item in range(N)]
    gold = write(tmp_path / "qrels.txt", [], queries, zeros, passages, scores, separator=" ")
    for shift, team in enumerate(["Ada", "Ben"]):
        guesses = scores[shift + 1 :] + scores[: shift + 1]
        write(
            tmp_path / "runs" / f"{team}.txt", [], queries, zeros, passages, guesses, separator=" "
        )
    campaign, told = read(gold, tmp_path / "runs")
    assert "matched by id (“1” and “3”)" in told[0]
    assert len(campaign.submissions) == 2


def test_two_columns_that_both_hold_gold_ids_are_asked_about_and_both_answers_run(tmp_path):
    numbers = [str(number) for number in range(N)]
    mixed = [str((7 * number) % N) for number in range(N)]
    gold = write(tmp_path / "gold.csv", ["id", "label"], numbers, GOLD)
    for shift, team in enumerate(["Ada", "Ben"]):
        write(
            tmp_path / "res" / f"{team}.csv",
            ["row", "item", "label"],
            numbers,
            mixed,
            answers(shift),
        )
    with pytest.raises(UsageError, match="both “row” and “item” hold gold's ids") as asked:
        read(gold, tmp_path / "res")
    options = re.findall(r"--id '([^']+)'", str(asked.value))
    assert options == ["id=row", "id=item"]
    right = [n_right(read(gold, tmp_path / "res", id=option)[0])["Ada", None] for option in options]
    assert right[0] == expected_right(0)
    assert right[1] != right[0]


def test_an_id_and_a_title_outvote_a_column_that_was_shuffled(tmp_path):
    titles = [f"Title {number} of a paper" for number in range(N)]
    links = [f"https://example.org/{number}" for number in range(N)]
    gold = write(tmp_path / "gold.csv", ["id", "title", "link", "label"], IDS, titles, links, GOLD)
    shuffled = links[5:] + links[:5]
    write(
        tmp_path / "res" / "Ada.csv",
        ["id", "title", "link", "label"],
        IDS,
        titles,
        shuffled,
        answers(0),
    )
    write(
        tmp_path / "res" / "Ben.csv",
        ["id", "title", "link", "label"],
        IDS,
        titles,
        links,
        answers(1),
    )
    campaign, _ = read(gold, tmp_path / "res")
    assert n_right(campaign)["Ada", None] == expected_right(0)


def test_answers_without_ids_are_read_by_order_where_the_counts_agree(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    (tmp_path / "res").mkdir()
    for shift, team in enumerate(["Ada", "Ben"]):
        (tmp_path / "res" / f"{team}.txt").write_text(
            "\n".join(answers(shift)) + "\n", encoding="utf-8"
        )
    campaign, told = read(gold, tmp_path / "res")
    assert n_right(campaign) == {("Ada", None): expected_right(0), ("Ben", None): expected_right(1)}
    assert told[0].endswith("matched by order.")


def test_other_ids_are_never_read_by_order(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    write(tmp_path / "a.csv", ["id", "label"], IDS, answers(0))
    others = [f"question{number:03}" for number in range(N)]
    write(tmp_path / "b.csv", ["id", "label"], others, answers(1))
    with pytest.raises(
        InputError, match="as many rows as gold, but its ids in “id” are not gold's"
    ):
        read(gold, tmp_path / "a.csv", tmp_path / "b.csv")
    campaign, told = read(gold, tmp_path / "a.csv", tmp_path / "b.csv", skip_rejected=True)
    assert [each.team for each in campaign.submissions] == ["a"]
    assert "Not scored: b.csv: as many rows as gold, but its ids in “id” are not gold's." in told


def test_rows_in_another_order_by_their_text_are_refused(tmp_path):
    texts = [f"text number {number} of the test set" for number in range(N)]
    doubled = [*texts[: N - 1], texts[0]]  # so that no column tells all items apart
    gold = write(tmp_path / "gold.csv", ["text", "label"], doubled, GOLD)
    backwards = list(reversed(range(N)))
    write(tmp_path / "a.csv", ["text", "label"], doubled, answers(0))
    write(
        tmp_path / "b.csv",
        ["text", "label"],
        [doubled[item] for item in backwards],
        [answers(1)[item] for item in backwards],
    )
    with pytest.raises(InputError, match="in another order by “text”"):
        read(gold, tmp_path / "a.csv", tmp_path / "b.csv")


def test_gold_and_submissions_of_other_test_sets_are_refused(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    others = [f"train{number}" for number in range(N + 3)]
    write(tmp_path / "res" / "a.csv", ["id", "label"], others, [*GOLD, *GOLD[:3]])
    with pytest.raises(UsageError, match="No file answers gold"):
        read(gold, tmp_path / "res")


def test_gold_among_the_submissions_is_none_of_them(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    write(tmp_path / "a.csv", ["id", "label"], IDS, answers(0))
    write(tmp_path / "b.csv", ["id", "label"], IDS, answers(1))
    write(tmp_path / "copy.csv", ["id", "label"], IDS, GOLD)
    campaign, told = read(gold, tmp_path)
    assert [each.team for each in campaign.submissions] == ["a", "b"]
    assert (
        "Not submissions: 1 file (copy.csv): all its labels are gold's, in gold's layout and order."
        in told
    )
    with pytest.raises(UsageError, match="is gold itself"):
        read(gold, gold)


def test_two_files_of_one_team_are_two_runs(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    write(tmp_path / "res" / "ada_run1.csv", ["id", "label"], IDS, answers(0))
    write(tmp_path / "res" / "ada_run2.csv", ["id", "label"], IDS, answers(1))
    write(tmp_path / "res" / "ben.csv", ["id", "label"], IDS, answers(2))
    campaign, told = read(gold, tmp_path / "res")
    assert sorted(n_right(campaign), key=str) == [("ada", "run1"), ("ada", "run2"), ("ben", None)]
    assert told[1].startswith("2 teams by what differs in the paths: ada (2 runs), ben.")


def test_two_files_of_one_team_and_run_are_refused(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    write(tmp_path / "res" / "x" / "ada.csv", ["id", "label"], IDS, answers(0))
    write(tmp_path / "res" / "y" / "ada.csv", ["id", "label"], IDS, answers(1))
    remedy = re.escape("tell them apart by their folders: --name '{run}/{team}'")
    with pytest.raises(UsageError, match=remedy):
        read(gold, tmp_path / "res", name="{team}")
    campaign, _ = read(gold, tmp_path / "res", name="{run}/{team}")
    assert sorted(n_right(campaign)) == [("ada", "x"), ("ada", "y")]


def test_a_glob_that_matches_nothing_says_so(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    with pytest.raises(UsageError, match="No file matches"):
        read(gold, tmp_path / "res*" / "*.csv")


def test_a_glob_that_the_shell_left_alone_is_followed(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    write(tmp_path / "res" / "a.csv", ["id", "label"], IDS, answers(0))
    write(tmp_path / "res" / "b.csv", ["id", "label"], IDS, answers(1))
    campaign, _ = read(gold, tmp_path / "res" / "*.csv")
    assert len(campaign.submissions) == 2


def test_a_file_named_by_itself_that_cannot_be_read_stops_unless_those_are_skipped(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    good = write(tmp_path / "a.csv", ["id", "label"], IDS, answers(0))
    notes = tmp_path / "b.csv"
    notes.write_text("these are my notes\nand no answers\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"b\.csv"):
        read(gold, good, notes)
    _, told = read(gold, good, notes, skip_rejected=True)
    assert any(line.startswith("Not scored: b.csv: ") for line in told)


def test_in_a_folder_files_of_another_layout_are_named_once_with_their_reason(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, team in enumerate(["ada", "ben", "cem"]):
        write(tmp_path / "res" / team / "entry.csv", ["id", "label"], IDS, answers(shift))
        (tmp_path / "res" / team / "entry.eval.json").write_text(
            '{"f1": 0.5, "p": 0.4}', encoding="utf-8"
        )
    campaign, told = read(gold, tmp_path / "res")
    assert len(campaign.submissions) == 3
    assert (
        len(
            [
                line
                for line in told
                if line.startswith("Not submissions: 3 files (res/ada/entry.eval.json")
            ]
        )
        == 1
    )


def test_three_columns_of_0_and_1_are_sets(tmp_path):
    rng = np.random.default_rng(1)
    names = ["anger", "fear", "joy"]
    truth = rng.integers(0, 2, (N, 3))
    gold = write(tmp_path / "gold.csv", ["id", *names], IDS, *truth.T)
    for team in ("ada", "ben"):
        guesses = np.where(rng.random((N, 3)) < 0.8, truth, 1 - truth)
        write(tmp_path / "res" / f"{team}.csv", ["id", *names], IDS, *guesses.T)
    campaign, told = read(gold, tmp_path / "res")
    assert "labels from “anger”, “fear” and “joy”, scored as sets" in told[0]
    assert campaign.task.label_set.labels[:3] == ("anger", "fear", "joy")


TOKENS = ["Ada", "met", "#", "in", "Paris", ",", "and", "Ben", "was", "in", "Rome", "."]
TAGS = ["B-per", "O", "O", "O", "B-loc", "O", "O", "B-per", "O", "O", "B-loc", "O"]
BLANK_AFTER = 6


def tokens_file(path, tags, *, comments=True, blank=True):
    lines = ["TOKEN\tTAG\tMISC"]
    for place, (token, tag) in enumerate(zip(TOKENS, tags, strict=True)):
        if comments and place in {0, BLANK_AFTER}:
            lines.append(f"# document_id = doc{place}")
        lines.append(f"{token}\t{tag}\t_")
        if blank and place == BLANK_AFTER - 1:
            lines.append("")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_tags_are_spans_and_the_token_hash_is_no_comment(tmp_path):
    gold = tokens_file(tmp_path / "gold.tsv", TAGS)
    tokens_file(tmp_path / "res" / "ada.tsv", [*TAGS[:-2], "O", "O"])
    tokens_file(tmp_path / "res" / "ben.tsv", ["O", *TAGS[1:]], comments=False, blank=False)
    campaign, told = read(gold, tmp_path / "res")
    assert told[0].startswith(
        "Gold: gold.tsv, 12 tokens, labels from “TAG”, scored as spans (entities)."
    )
    assert campaign.task.label_set.labels[:2] == ("loc", "per")
    assert campaign.gold.n_units == 2
    assert [each.team for each in campaign.submissions] == ["ada", "ben"]


def test_tokens_are_scored_where_somebody_says_labels(tmp_path):
    gold = tokens_file(tmp_path / "gold.tsv", TAGS)
    tokens_file(tmp_path / "res" / "ada.tsv", [*TAGS[:-2], "O", "O"])
    tokens_file(tmp_path / "res" / "ben.tsv", ["O", *TAGS[1:]])
    campaign, _ = read(gold, tmp_path / "res", kind="labels")
    assert campaign.gold.n_items == len(TOKENS)


def test_a_baseline_is_one_by_its_name_and_a_pattern_names_teams(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, name in enumerate(["NIST-one", "NIST-two", "TREMA-CoT", "majority-baseline"]):
        write(tmp_path / "res" / f"{name}.csv", ["id", "label"], IDS, answers(shift))
    campaign, _ = read(gold, tmp_path / "res", name="{team}-{run}")
    assert sorted({each.team for each in campaign.submissions}) == ["NIST", "TREMA", "majority"]
    roles = {each.team: str(each.role) for each in campaign.submissions}
    assert roles["majority"] == "baseline"


def test_a_scale_an_alias_and_runs_are_said_on_the_command_line(tmp_path):
    steps = [str(item % 4) for item in range(N)]
    gold = write(tmp_path / "gold.csv", ["id", "grade"], IDS, steps)
    for shift, name in enumerate(["ada_1", "ada_2", "ben_1"]):
        guesses = [step if item % 5 != shift else "three" for item, step in enumerate(steps)]
        write(tmp_path / "res" / f"{name}.csv", ["id", "grade"], IDS, guesses)
    campaign, _ = read(gold, tmp_path / "res", scale=True, alias=("three=3",), runs="last")
    assert campaign.task.label_set.scale == (0, 1, 2, 3)
    assert all(not each.unusable_labels for each in campaign.submissions)
    assert campaign.task.policies.runs == "last"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"id": "nr"}, "--id “nr”: gold has no such column"),
        ({"label": "class"}, "--label “class”: gold has no such column"),
        ({"group": "author"}, "--group “author”: gold has no such column"),
        ({"name": "{group}"}, "is no pattern"),
    ],
)
def test_what_names_no_column_says_which_there_are(campaign_folder, said, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        read(*campaign_folder, **said)


@pytest.mark.parametrize("said", [{"kind": "numbers"}, {"runs": "first"}, {"alias": ("three",)}])
def test_a_value_that_there_is_not_is_refused(said):
    with pytest.raises(UsageError, match="--"):
        Said(**said)


def test_archives_and_folders_may_be_mixed(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, team in enumerate(["ada", "ben", "cem"]):
        file = write(tmp_path / f"{team}.csv", ["id", "label"], IDS, answers(shift))
        with zipfile.ZipFile(tmp_path / f"{team}.zip", "w") as archive:
            archive.write(file, "predictions.csv")
        file.unlink()
    campaign, _ = read(gold, tmp_path / "ada.zip", tmp_path / "ben.zip", tmp_path / "cem.zip")
    assert [each.team for each in campaign.submissions] == ["ada", "ben", "cem"]


def test_every_message_of_the_door_is_short(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    others = [f"train{number}" for number in range(N + 3)]
    write(tmp_path / "res" / f"{'a' * 60}.csv", ["id", "label"], others, [*GOLD, *GOLD[:3]])
    with pytest.raises(UsageError) as refusal:
        read(gold, tmp_path / "res")
    text = str(refusal.value)
    assert len(text) <= 300
    assert len(re.split(r"(?<=[.?:]) ", text)[0]) <= 120


def test_an_interrupted_path_is_a_message(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    with pytest.raises(InputError, match="missing-file"):
        read(gold, tmp_path / "nowhere")
    with pytest.raises(InputError, match="missing-file"):
        read(tmp_path / "nowhere.csv", gold)
    with pytest.raises(UsageError, match="is a folder: --gold takes the file"):
        read(tmp_path, gold)
    with pytest.raises(UsageError, match="Name the submissions"):
        open_door(Path(gold), [])


@pytest.mark.parametrize("is_of_spans", [True, False])
def test_labels_in_another_case_are_gold_s_where_case_tells_none_apart(tmp_path, is_of_spans):
    if is_of_spans:
        gold = tokens_file(tmp_path / "gold.tsv", TAGS)
        tokens_file(tmp_path / "res" / "ada.tsv", [tag.upper() for tag in TAGS[:-2]] + ["O", "O"])
        said, right = (
            "“LOC” in 1 file is gold’s “loc”, and 1 other likewise: upper and lower case are not",
            3,
        )
    else:
        gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
        some = [
            label.upper() if place % 4 == 1 else label for place, label in enumerate(answers(0))
        ]
        write(tmp_path / "res" / "ada.csv", ["id", "label"], IDS, some)
        said, right = "in 1 file is gold’s", expected_right(0)
    campaign, told = read(gold, tmp_path / "res")
    (each,) = campaign.submissions
    truth = campaign.gold.codes
    assert int(((each.codes == truth) & (truth < campaign.task.label_set.n_scored)).sum()) == right
    assert any(said in line for line in told)


@pytest.mark.parametrize("inputs", ["res", "."])
def test_a_bundle_of_named_files_is_verified_by_the_folder_in_or_around_them(
    tmp_path, inputs, monkeypatch
):
    """files.csv is in the bundle, as the folder has none."""
    gold = write(tmp_path / "data" / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, team in enumerate(["ada", "ben"]):
        write(tmp_path / "data" / "res" / f"{team}.csv", ["id", "label"], IDS, answers(shift))
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    named = [
        "--gold",
        str(gold),
        str(tmp_path / "data" / "res"),
        "--no-certainty",
        "--store",
        "a.db",
        "--json",
    ]
    slug = json.loads(runner.invoke(app, ["run", *named]).stdout)["task"]
    runner.invoke(app, ["export", slug, "paper", "--store", "a.db", "--figures", "none"])
    folder = tmp_path / "data" / inputs if inputs != "." else tmp_path
    verified = runner.invoke(app, ["verify", "paper/bundle.zip", "--inputs", str(folder.resolve())])
    assert verified.exit_code == 0, verified.output
    assert "all the same" in verified.output


def test_a_scale_of_words_is_said_by_its_steps(tmp_path):
    steps = [("low", "mid", "high")[item % 3] for item in range(N)]
    gold = write(tmp_path / "gold.csv", ["id", "grade"], IDS, steps)
    write(tmp_path / "res" / "ada.csv", ["id", "grade"], IDS, steps[1:] + steps[:1])
    campaign, _ = read(gold, tmp_path / "res", scale=("low", "mid", "high"))
    assert campaign.task.label_set.labels == ("low", "mid", "high")
    assert campaign.task.label_set.scale == (0, 1, 2)
    with pytest.raises(UsageError, match="lacks gold’s “mid”"):
        read(gold, tmp_path / "res", scale=("low", "high"))
    with pytest.raises(UsageError, match="Name all steps, lowest first"):
        read(gold, tmp_path / "res", scale=True)


@pytest.mark.parametrize(
    ("text", "said"), [("true", True), ("False", False), ("low, mid,high", ("low", "mid", "high"))]
)
def test_what_is_said_of_a_scale(text, said):
    assert scale_of(text) == said


@pytest.mark.parametrize("text", ["yes", "a,,b", "a,a"])
def test_what_is_no_scale_is_refused(text):
    with pytest.raises(UsageError, match="--scale"):
        scale_of(text)


def run_folder(tmp_path, *options):
    return CliRunner().invoke(
        app, ["run", str(tmp_path), "--no-certainty", "--json", "--store", "a.db", *options]
    )


@pytest.mark.parametrize("settings", [None, 'title = "T"\n'])
def test_options_stand_beside_a_folder_with_and_without_settings(tmp_path, settings, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    folder = tmp_path / "campaign"
    kinds = [f"k{item % 2}" for item in range(N)]
    write(folder / "gold.csv", ["id", "label", "kind"], IDS, GOLD, kinds)
    for shift, team in enumerate(["ada", "ben", "cem"]):
        write(folder / "submissions" / f"{team}.csv", ["id", "label"], IDS, answers(shift))
    if settings is not None:
        (folder / "task.toml").write_text(settings, encoding="utf-8")
    before = sorted(folder.rglob("*"))
    result = run_folder(
        folder,
        "--label",
        "label",
        "--official-metric",
        "accuracy",
        "--group",
        "kind",
        "--runs",
        "last",
    )
    assert result.exit_code == 0, result.output
    assert "accuracy" in result.stdout
    assert sorted(folder.rglob("*")) == before


def test_an_option_that_settings_contradict_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "campaign"
    write(folder / "gold.csv", ["id", "label"], IDS, GOLD)
    write(folder / "submissions" / "ada.csv", ["id", "label"], IDS, answers(0))
    (folder / "task.toml").write_text('official_metric = "mcc"\n', encoding="utf-8")
    result = run_folder(folder, "--official-metric", "accuracy")
    assert result.exit_code == 2
    assert "task.toml says official_metric" in " ".join(result.output.split())


def test_one_file_with_gold_and_systems_is_one_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = write(
        tmp_path / "all.csv", ["id", "gold", "Ada", "Ben"], IDS, GOLD, answers(0), answers(1)
    )
    result = CliRunner().invoke(app, ["run", str(table), "--no-certainty", "--store", "a.db"])
    assert result.exit_code == 0, result.output
    assert (
        "Gold: all.csv, 40 items, labels from “gold”. 2 systems in columns: “Ada” and “Ben”."
        in result.output
    )
    gold = write(tmp_path / "alone.csv", ["id", "label"], IDS, GOLD)
    assert "name gold and submissions" in CliRunner().invoke(app, ["run", str(gold)]).output


def test_of_many_files_named_by_themselves_none_is_left_out_in_silence(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    files = [
        write(tmp_path / f"t{shift:02}x.csv", ["id", "label"], IDS, answers(shift))
        for shift in range(14)
    ]
    table = write(tmp_path / "scores.csv", ["team", "f1"], ["a", "b"], ["0.5", "0.4"])
    with pytest.raises(InputError, match=r"scores\.csv"):
        read(gold, *files, table)


def issues_and_questions(tmp_path):
    """Messages of the door by what provoked each: gold, submissions, what was said."""
    long = "a" * 70
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    others = [f"train{number}" for number in range(N)]
    other = write(tmp_path / "other" / f"{long}.csv", ["id", "label"], others, GOLD)
    notes = tmp_path / f"notes-{long}.txt"
    notes.write_text("these are my notes\nand no answers\n", encoding="utf-8")
    twice = write(
        tmp_path / "twice.csv", ["id", "irony", "sarcasm"], IDS, GOLD, GOLD[1:] + GOLD[:1]
    )
    both = write(
        tmp_path / "both" / "ada.csv", ["id", "irony", "sarcasm"], IDS, answers(0), answers(1)
    )
    rows = list(reversed(IDS))
    rivals = write(tmp_path / "rivals" / "ada.csv", ["row", "item", "label"], IDS, rows, answers(0))
    unnamed = write(tmp_path / "two" / "ada.csv", ["id", "a", "b"], IDS, answers(0), answers(1))
    return {
        "other ids": (gold, [other], {}),
        "notes": (gold, [notes], {}),
        "no such file": (gold, [tmp_path / long], {}),
        "no gold": (tmp_path / f"{long}.csv", [other], {}),
        "gold is a folder": (tmp_path, [other], {}),
        "gold itself": (gold, [gold], {}),
        "a glob": (gold, [tmp_path / f"{long}*.csv"], {}),
        "two columns of gold": (twice, [both], {}),
        "two columns of ids": (gold, [rivals], {}),
        "two columns of labels": (gold, [unnamed], {}),
        "no such id": (gold, [other], {"id": long}),
        "no such label": (gold, [both], {"label": long}),
        "no such group": (
            gold,
            [write(tmp_path / "ok.csv", ["id", "label"], IDS, answers(2))],
            {"group": long},
        ),
        "no pattern": (gold, [tmp_path / "ok.csv"], {"name": "{group}"}),
        "another pattern": (gold, [tmp_path / "ok.csv"], {"name": "{team}-x-{run}"}),
        "a scale of words": (gold, [tmp_path / "ok.csv"], {"scale": True}),
    }


CASES = (
    *("other ids", "notes", "no such file", "no gold", "gold is a folder", "gold itself", "a glob"),
    *(
        "two columns of gold",
        "two columns of ids",
        "two columns of labels",
        "no such id",
        "no such label",
    ),
    *("no such group", "no pattern", "another pattern", "a scale of words"),
)


@pytest.mark.parametrize("case", CASES)
def test_messages_say_what_is_wrong_in_a_short_first_sentence(case, tmp_path):
    gold, submissions, said = issues_and_questions(tmp_path)[case]
    with pytest.raises((InputError, UsageError)) as refusal:
        read(gold, *submissions, **said)
    text = str(refusal.value).replace(str(tmp_path), "DIR")
    first = re.split(r"(?<=[.?:])\s", text)[0]
    assert len(first) <= 120, first
    assert len(text) <= 300, text


REMEDIES = {
    "two columns of gold": ["--label"],
    "two columns of ids": ["--id"],
    "two columns of labels": ["--label"],
}


@pytest.mark.parametrize("case", REMEDIES)
def test_each_remedy_of_a_question_is_followed_and_the_question_is_gone(case, tmp_path):
    """Every option that a message prints is given, as it is printed, with the files that provoked it."""
    gold, submissions, _ = issues_and_questions(tmp_path)[case]
    with pytest.raises(UsageError) as asked:
        read(gold, *submissions)
    options = re.findall(r"(--[a-z-]+) '([^']+)'", str(asked.value))
    assert len(options) > 1
    for option, value in options:
        campaign, _ = read(gold, *submissions, **{option.strip("-"): value})
        assert len(campaign.submissions) == 1


def test_the_remedy_for_a_file_that_is_not_scored_is_followed(tmp_path):
    gold, _, _ = issues_and_questions(tmp_path)["other ids"]
    other = tmp_path / "other" / f"{'a' * 70}.csv"
    good = write(tmp_path / "good.csv", ["id", "label"], IDS, answers(2))
    with pytest.raises(InputError, match="go on without it: --skip-rejected"):
        read(gold, good, other)
    campaign, told = read(gold, good, other, skip_rejected=True)
    assert [each.team for each in campaign.submissions] == ["good"]
    assert any(line.startswith("Not scored: other/aaaa") for line in told)


def save(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)
    return path


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.bool_])
def test_arrays_of_0_and_1_are_sets_in_the_order_of_gold(tmp_path, dtype):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, (N, 4))
    gold = save(tmp_path / "gold.npy", truth.astype(dtype))
    for team in ("ada", "ben"):
        guesses = np.where(rng.random((N, 4)) < 0.8, truth, 1 - truth)
        save(tmp_path / "res" / f"{team}.npy", guesses.astype(dtype))
    campaign, told = read(gold, tmp_path / "res")
    assert "scored as sets. 2 submissions, matched by order." in told[0]
    assert campaign.gold.n_units == N
    n_labels = int((campaign.gold.codes < campaign.task.label_set.n_scored).sum())
    assert n_labels == truth.sum()


def test_an_array_of_labels_is_a_label_for_each_item(tmp_path):
    codes = np.arange(N) % 3
    gold = save(tmp_path / "gold.npy", codes)
    save(tmp_path / "res" / "ada.npy", np.roll(codes, 1))
    save(tmp_path / "res" / "ben.npy", np.where(np.arange(N) < N // 2, codes, 0))
    campaign, _ = read(gold, tmp_path / "res")
    assert n_right(campaign)["ada", None] == np.count_nonzero(np.roll(codes, 1) == codes)
    assert n_right(campaign)["ben", None] == N // 2 + int((codes[N // 2 :] == 0).sum())


@pytest.mark.parametrize(
    "array",
    [np.zeros((2, 2, 2)), np.full((N, 3), 0.5), np.array([None, 1], dtype=object), np.zeros(0)],
    ids=["three dimensions", "scores", "objects", "empty"],
)
def test_an_array_whose_rows_cannot_be_told_is_one_message(tmp_path, array):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    save(tmp_path / "res" / "ada.npy", array)
    with pytest.raises((InputError, UsageError), match="a NumPy array"):
        read(gold, tmp_path / "res" / "ada.npy")


def test_who_is_left_out_is_said_among_the_to_dos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    files = [
        write(tmp_path / f"{team}.csv", ["id", "label"], IDS, answers(place))
        for place, team in enumerate("abc")
    ]
    others = [f"question{number:03}" for number in range(N)]
    lost = write(tmp_path / "lost.csv", ["id", "label"], others, answers(1))
    named = ["--gold", str(gold), *map(str, files), str(lost), "--no-certainty", "--store", "a.db"]
    result = CliRunner().invoke(app, ["run", *named, "--skip-rejected"])
    assert result.exit_code == 0, result.output
    assert (
        "Not scored: lost.csv: as many rows as gold, but its ids in “id” are not gold's."
        in result.output
    )
    to_dos = result.output.partition("Before you publish")[2]
    assert "lost.csv was not loaded" in to_dos
