"""A copy of the gold file is no submission."""

import gzip

import pytest

from audit.domain import SourceFile
from audit.errors import InputError
from audit.execution.processes import Processes
from audit.formats.campaign import all_files
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.single_file import AnswerKey, check_submission

from .campaigns import ANSWERS, GOLD, write, zipped

COPIES = {
    "A.csv": GOLD,
    "A.csv.gz": gzip.compress(GOLD.encode()),
    "A.zip": zipped({"answer.csv": GOLD}),
    "A/1.csv": GOLD,
}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("gold", ["gold.csv", "gold.csv.gz"])
def test_the_gold_file_is_refused(name, gold, tmp_path):
    """However either is packed, and beside others; unless task.toml accepts them."""
    content = GOLD if gold == "gold.csv" else gzip.compress(GOLD.encode(), mtime=1)
    files = {gold: content, f"submissions/{name}": COPIES[name], "submissions/B.csv": ANSWERS}
    campaign = read_campaign(write(tmp_path, files), skip_rejected=True)
    assert [issue.slug for rejection in campaign.rejections for issue in rejection.issues] == [
        "gold-copy"
    ]
    write(tmp_path, {"task.toml": '[policies]\ngold_copy = "accept"\n'})
    assert len(read_campaign(tmp_path).submissions) == 2


@pytest.mark.parametrize("change", [("\n", "\r\n"), (",", "\t"), ("id,", "\ufeffid,")])
def test_gold_that_was_written_otherwise_is_a_copy_too(change, tmp_path):
    """With other line ends, delimiters or a byte order mark: what it says counts, not its bytes."""
    files = {
        "gold.csv": GOLD,
        "submissions/A.csv": GOLD.replace(*change),
        "submissions/B.csv": ANSWERS,
    }
    with pytest.raises(InputError, match="gold-copy"):
        read_campaign(write(tmp_path, files))


@pytest.mark.parametrize("change", [("id,label", "id,answer"), ("1,no\n2,yes\n", "2,yes\n1,no\n")])
def test_the_same_answers_in_other_columns_or_another_order_are_loaded(change, tmp_path):
    """A flag of the evaluation says that they equal gold."""
    assert change[0] in GOLD
    files = {"gold.csv": GOLD, "submissions/A.csv": GOLD.replace(*change)}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [0, 1, 0, 1]


def test_other_processes_refuse_a_copy_too(tmp_path, monkeypatch):
    """They are sent its labels and how it was read, and not the file."""
    monkeypatch.setattr(all_files, "MUCH", 0)
    files = {"gold.csv": GOLD, "submissions/A.csv": GOLD, "submissions/B.csv": ANSWERS}
    with pytest.raises(InputError, match="gold-copy"):
        read_campaigns(write(tmp_path, files), executor=Processes(2))


def test_a_check_of_one_file_refuses_a_copy_as_a_load_does(tmp_path):
    """Where the task's gold came from a file, and its bytes are at hand."""
    gold = read_campaign(write(tmp_path, {"gold.csv": GOLD, "submissions/B.csv": ANSWERS})).gold
    assert [
        issue.slug for issue in check_submission("A.csv", GOLD.encode(), AnswerKey(gold)).issues
    ] == ["gold-copy"]
    assert check_submission(
        "A.csv", GOLD.encode(), AnswerKey(gold, b'[policies]\ngold_copy = "accept"\n')
    ).is_accepted
    assert isinstance(gold.source, SourceFile)


ORDER = [7, 3, 9, 1, 4, 8, 2, 6, 5, 10]


def listed(order, wrong=()):
    """A file with the items in an order, and some of gold's labels changed."""
    label = {item: ("no", "yes")[item % 2 ^ (item in wrong)] for item in order}
    return "id,label\n" + "".join(f"{item},{label[item]}\n" for item in order)


TRACES = {
    "its order alone": (
        ORDER,
        {"A": (ORDER, {1}), "B": (sorted(ORDER), {2, 3}), "C": (sorted(ORDER), {4, 5})},
        "A",
    ),
    "the order of two": (
        ORDER,
        {"A": (ORDER, {1}), "B": (ORDER, {2, 3}), "C": (sorted(ORDER), {4, 5})},
        None,
    ),
    "a worse system": (
        ORDER,
        {"A": (ORDER, {1, 2}), "B": (sorted(ORDER), {3}), "C": (sorted(ORDER), {4, 5})},
        None,
    ),
    "gold that is sorted": (
        sorted(ORDER),
        {"A": (sorted(ORDER), {1}), "B": (ORDER, {2, 3}), "C": (ORDER, {4})},
        None,
    ),
}


@pytest.mark.parametrize("case", TRACES)
def test_a_copy_of_gold_with_changed_labels_is_known_by_its_order_alone(case, tmp_path):
    """The best submission, if gold's order is no sorted one, and nobody else has it; it is loaded all the same."""
    order, teams, traced = TRACES[case]
    files = {f"submissions/{team}.csv": listed(*of_team) for team, of_team in teams.items()}
    files |= {"gold.csv": listed(order), "submissions/D.csv": listed(teams["C"][0], {1, 2, 3})}
    campaign = read_campaign(write(tmp_path, files))
    assert [each.team for each in campaign.submissions if each.issues] == (
        [traced] if traced else []
    )
    assert {issue.slug for issue in campaign.issues} <= {"gold-copy"}
