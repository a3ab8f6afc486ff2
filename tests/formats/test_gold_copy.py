"""A copy of the gold file is no submission."""

import gzip

import pytest

from audit.domain import SourceFile
from audit.errors import InputError
from audit.execution.processes import Processes
from audit.formats.campaign import all_files
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.single_file import check_submission

from .campaigns import ANSWERS, GOLD, write, zipped

pytestmark = pytest.mark.usefixtures("copies_refused")
COPIES = {
    "A.csv": GOLD,
    "A.csv.gz": gzip.compress(GOLD.encode()),
    "A.zip": zipped({"answer.csv": GOLD}),
    "A/1.csv": GOLD,
}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("gold", ["gold.csv", "gold.csv.gz"])
def test_the_bytes_of_the_gold_file_are_refused(name, gold, tmp_path):
    """However either is packed, and beside others; unless task.toml accepts them."""
    content = GOLD if gold == "gold.csv" else gzip.compress(GOLD.encode(), mtime=1)
    files = {gold: content, f"submissions/{name}": COPIES[name], "submissions/B.csv": ANSWERS}
    campaign = read_campaign(write(tmp_path, files), skip_rejected=True)
    assert [issue.slug for rejection in campaign.rejections for issue in rejection.issues] == ["gold-copy"]
    write(tmp_path, {"task.toml": '[policies]\ngold_copy = "accept"\n'})
    assert len(read_campaign(tmp_path).submissions) == 2


def test_other_bytes_with_the_same_answers_are_loaded(tmp_path):
    """A flag of the evaluation says that they equal gold."""
    files = {"gold.csv": GOLD, "submissions/A.csv": GOLD + "\n"}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [0, 1, 0, 1]


def test_other_processes_refuse_a_copy_too(tmp_path, monkeypatch):
    """They are not sent the gold file, but its digest."""
    monkeypatch.setattr(all_files, "MUCH", 0)
    files = {"gold.csv": GOLD, "submissions/A.csv": GOLD, "submissions/B.csv": ANSWERS}
    with pytest.raises(InputError, match="gold-copy"):
        read_campaigns(write(tmp_path, files), executor=Processes(2))


def test_a_check_of_one_file_refuses_a_copy_as_a_load_does(tmp_path):
    """Where the task's gold came from a file, and its bytes are at hand."""
    gold = read_campaign(write(tmp_path, {"gold.csv": GOLD, "submissions/B.csv": ANSWERS})).gold
    assert [issue.slug for issue in check_submission("A.csv", GOLD.encode(), gold, None).issues] == ["gold-copy"]
    assert check_submission("A.csv", GOLD.encode(), gold, b'[policies]\ngold_copy = "accept"\n').is_accepted
    assert isinstance(gold.source, SourceFile)
