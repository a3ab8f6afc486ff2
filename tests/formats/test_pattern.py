"""A name that a pattern can split in several ways is never split by a guess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.values import Pattern
from tests.nightly import examples

from .campaigns import ANSWERS, GOLD, refusal, write

NAMES = ["uni_x_1", "uni_x_2", "plain_1"]
FILES = {"gold.csv": GOLD, **{f"runs/{name}.csv": ANSWERS for name in NAMES}}
STATED = '[submissions]\nfiles = "runs/{team}_{run}.csv"\n'


def runs(root):
    """Teams and their runs."""
    return [(submission.team, submission.run) for submission in read_campaign(root).submissions]


def test_a_name_that_splits_in_several_ways_is_refused_with_each_of_them(tmp_path):
    """And with the line that decides; one that splits in one way is not."""
    issues = refusal(tmp_path, {**FILES, "task.toml": STATED})
    assert [issue.file for issue in issues] == ["runs/uni_x_1.csv", "runs/uni_x_2.csv"]
    (issue, _) = issues
    assert issue.slug == "ambiguous-reading"
    assert "team “uni_x”, run “1” · or · team “uni”, run “x_1”" in issue.found
    assert "say in files.csv whose it is" in issue.remedy


def test_files_csv_decides_too(tmp_path):
    """For the files that it lists."""
    table = "file,kind,team,run\n" + "".join(
        f"runs/uni_x_{run}.csv,submission,uni_x,{run}\n" for run in (1, 2)
    )
    files = {**FILES, "task.toml": STATED, "files.csv": table}
    assert runs(write(tmp_path, files)) == [("plain", "1"), ("uni_x", "1"), ("uni_x", "2")]


def every_split(path, pattern):
    """Team and run by all ways to cut, one by one."""
    before, between, behind = pattern
    inner = (
        path[len(before) : len(path) - len(behind)]
        if path.endswith(behind) and path.startswith(before)
        else ""
    )
    cuts = [at for at in range(1, len(inner)) if inner.startswith(between, at)]
    return {(inner[:at], inner[at + len(between) :]) for at in cuts if inner[at + len(between) :]}


@examples(105)
@given(
    path=st.text(st.sampled_from("ab_-."), min_size=1, max_size=9),
    pattern=st.tuples(
        st.sampled_from(["", "a"]),
        st.sampled_from(["_", "-", "_-", "."]),
        st.sampled_from(["", ".b"]),
    ),
)
def test_there_is_one_split_exactly_where_there_is_one_way_to_cut(path, pattern):
    """Of several the longest and the shortest team are told apart; of none there is none."""
    before, between, behind = pattern
    splits = Pattern(f"{before}{{team}}{between}{{run}}{behind}").splits(path)
    expected = every_split(path, pattern)
    assert {(names.team, names.run) for names in splits} <= expected
    assert len(splits) == min(2, len(expected))
    if expected:
        assert splits[0].team == max((team for team, _ in expected), key=len)


@pytest.mark.parametrize(
    ("pattern", "path", "team"),
    [
        ("{team}.*", "N.J.R.csv", "N.J.R"),
        ("{team}*.csv", "abc.csv", "abc"),
        ("*_{team}.csv", "x_b.csv", "b"),
        ("{team}-final*.csv", "a-final2.csv", "a"),
    ],
)
def test_any_text_that_does_not_count_leaves_one_way(pattern, path, team):
    """An ending has no dot in it, and a star behind a name has nothing of it."""
    assert [names.team for names in Pattern(pattern).splits(path)] == [team]
