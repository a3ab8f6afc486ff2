"""Every remedy that a message or a to-do prints is followed on the files that provoked it, and mends it."""

import re
from dataclasses import replace
from itertools import cycle, islice

import pytest

from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import campaigns_of, read_campaign
from audit.formats.door.opening import open_door
from audit.formats.door.remedies import by_options
from audit.formats.door.said import Said, scale_of
from tests.door.test_plain_door import GOLD, IDS, TAGS, N, answers, tokens_file, write

STEPS = list(islice(cycle("1232"), N))
OTHERS = [STEPS[1:] + STEPS[:1], STEPS[2:] + STEPS[:2], STEPS[3:] + STEPS[:3]]


def files_of(folder, case):
    """Gold, a folder of submissions, and what is said of them from the beginning."""
    runs = folder / "submissions"
    if case == "tags":
        gold = tokens_file(folder / "gold.tsv", TAGS)
        for number, team in enumerate(["ada", "ben"]):
            tokens_file(runs / f"{team}.tsv", [*TAGS[:number], "O", *TAGS[number + 1 :]])
        return gold, runs, {"kind": "labels"}
    if case == "a scale":
        gold = write(folder / "gold.csv", ["id", "label"], IDS, STEPS)
        for team, guesses in zip(["ada", "ben", "cem"], OTHERS, strict=True):
            write(runs / f"{team}.csv", ["id", "label"], IDS, guesses)
        return gold, runs, {}
    if case == "groups":
        authors = [f"author {item // 4}" for item in range(N)]
        gold = write(folder / "gold.csv", ["id", "author", "label"], IDS, authors, GOLD)
    else:
        gold = write(folder / "gold.csv", ["id", "label"], IDS, GOLD)
    names = ["ada_run1", "ada_run2", "ben"] if case == "runs" else ["ada", "ben", "cem"]
    for shift, name in enumerate(names):
        write(runs / f"{name}.csv", ["id", "label"], IDS, answers(shift))
    return gold, runs, {}


CASES = {
    "tags": "tokens-are-scored",
    "a scale": "scale",
    "groups": "groups",
    "runs": "runs",
    "a metric": "no-official-metric",
}


def to_dos(campaign, door):
    """What the page asks for, by what it is about."""
    evaluation = evaluate(replace(campaign, task=replace(campaign.task, door=door)))
    return {each.about: each.text for each in evaluation.verdict.to_do}


def named(gold, runs, said):
    """The campaign of files that were named."""
    with open_door(gold, [runs], Said(**said)).tree() as tree:
        (campaign,) = campaigns_of(tree)
    return campaign


@pytest.mark.parametrize("case", CASES)
def test_an_option_that_the_page_asks_for_is_followed_and_is_asked_for_no_more(case, tmp_path):
    gold, runs, said = files_of(tmp_path, case)
    about = CASES[case]
    asked = to_dos(named(gold, runs, said), "options")[about]
    options = re.findall(r"--([a-z-]+) ((?:[\w()\-]+|“[^”]+”)+)", asked)
    assert options, asked
    for option, value in options:
        stated = {option.replace("-", "_"): value}
        if option == "scale":
            stated["scale"] = scale_of(value)
        campaign = named(gold, runs, {**said, **stated})
        assert campaign.submissions
        assert about not in to_dos(campaign, "options"), (option, value)


LINE = re.compile(r'(\w+) = ("[^"]*"|true|false|\d+)(?: under \[(\w+)\])?')


def with_settings(folder, case):
    """The same files in a folder with settings: what stands at the top, and in tables."""
    if case == "tags":
        for name, tags in {"gold": TAGS, "submissions/ada": ["O", *TAGS[1:]]}.items():
            rows = [f"word{place} {tag}" for place, tag in enumerate(tags)]
            path = folder / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*rows[:6], "", *rows[6:]]) + "\n", encoding="utf-8")
        return 'kind = "classes"\n', '[gold]\nformat = "tokens"\n[submissions]\nformat = "tokens"\n'
    files_of(folder, case)
    if case == "runs":
        (folder / "submissions" / "ben.csv").rename(folder / "submissions" / "ben_run1.csv")
        return "", '[submissions]\nfiles = "submissions/{team}_{run}.csv"\n'
    return "", ""


@pytest.mark.parametrize("case", CASES)
def test_a_line_that_the_page_asks_for_is_written_and_is_asked_for_no_more(case, tmp_path):
    top, tables = with_settings(tmp_path, case)
    about = CASES[case]
    settings = tmp_path / "task.toml"
    settings.write_text(top + tables, encoding="utf-8")
    asked = to_dos(read_campaign(tmp_path), "task.toml")[about]
    lines = LINE.findall(asked)
    assert lines, asked
    for name, value, section in lines:
        line = f"{name} = {value}\n"
        table = "gold" if name == "group" else section
        if table:
            text = f"{top}{tables}[{table}]\n{line}"
        else:
            text = f"{line if name == 'kind' else top + line}{tables}"
        settings.write_text(text, encoding="utf-8")
        campaign = read_campaign(tmp_path)
        assert campaign.submissions
        assert about not in to_dos(campaign, "task.toml"), text


def test_the_remedy_for_a_copy_of_gold_is_followed(tmp_path):
    write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, team in enumerate(["ada", "ben"]):
        write(tmp_path / "submissions" / f"{team}.csv", ["id", "label"], IDS, answers(shift))
    copy = write(tmp_path / "submissions" / "copy.csv", ["id", "label"], IDS, GOLD)
    with pytest.raises(InputError, match="gold-copy") as refused:
        read_campaign(tmp_path)
    line = re.search(r"under \[policies\]: (gold_copy = \"accept\")", str(refused.value))[1]
    (tmp_path / "task.toml").write_text(f"[policies]\n{line}\n", encoding="utf-8")
    assert len(read_campaign(tmp_path).submissions) == 3
    (tmp_path / "task.toml").unlink()
    copy.unlink()
    assert len(read_campaign(tmp_path).submissions) == 2


def test_two_files_of_one_run_by_a_pattern_are_told_apart_as_the_message_says(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, folder in enumerate("xy"):
        write(tmp_path / "res" / folder / "ada.csv", ["id", "label"], IDS, answers(shift))
    with pytest.raises(UsageError, match="makes one run of") as asked:
        named(gold, tmp_path / "res", {"name": "{team}"})
    pattern = re.search(r"by their folders: --name '([^']+)'", str(asked.value))[1]
    campaign = named(gold, tmp_path / "res", {"name": pattern})
    assert {(each.team, each.run) for each in campaign.submissions} == {("ada", "x"), ("ada", "y")}


def test_a_strange_label_is_accepted_by_the_option_that_the_message_names(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    odd = ["nope" if item == 3 else label for item, label in enumerate(answers(0))]
    write(tmp_path / "res" / "ada.csv", ["id", "label"], IDS, odd)
    (issue,) = by_options(named(gold, tmp_path / "res", {}).issues)
    assert issue.remedy.endswith("--alias SPELLING=LABEL")
    assert not named(gold, tmp_path / "res", {"alias": ("nope=no",)}).issues


def test_how_many_ids_are_gold_s_is_said(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    mixed = [*IDS[:15], *(f"train{item}" for item in range(N - 15))]
    write(tmp_path / "res" / "ada.csv", ["id", "label"], mixed, answers(0))
    with pytest.raises(UsageError, match="only 15 of its ids in “id” are gold's"):
        named(gold, tmp_path / "res", {})
