"""Work over items in blocks: whoever computes them, and however many there are, the same evaluation comes out."""

import json
import multiprocessing
import pickle
import tempfile
import tracemalloc

import numpy as np
import pytest

from audit import workflow
from audit.domain import (
    Campaign,
    CodesFile,
    Gold,
    LabelSet,
    Policies,
    ScoreKey,
    Submission,
    Task,
    code_dtype,
    temporary_file,
)
from audit.errors import StoreError
from audit.evaluation import answers_of, evaluate, score_campaign
from audit.execution import THIS_PROCESS, Blocks, merge, spans
from audit.execution.processes import Processes
from audit.formats.campaign.campaigns import read_campaigns
from audit.inference import influence_blocks
from audit.inference.comparison import compare
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.metrics import count_confusions
from audit.resources import samples
from audit.store import open_store
from audit.writers.bundle.archive import evaluation_document
from tests.nightly import ALL, slow

LABELS = LabelSet(("a", "b", "c"))
BLOCK = 40
"""Items in a block of these tests."""


def made_up(n_teams=9, n_items=300, *, grouped=False, missing="wrong", seed=1):
    """A campaign with unanswered items and twins; its groups are scattered over all items, and one is large."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n_items, p=[0.2, 0.3, 0.5]).astype(np.uint8)
    teams = [
        np.where(rng.random(n_items) < share, gold, rng.integers(0, 5, n_items)).astype(np.uint8)
        for share in np.linspace(0.4, 0.9, n_teams - 1)
    ]
    teams[-1] = np.minimum(teams[-1], 2)
    groups = (
        np.where(rng.random(n_items) < 0.3, 0, rng.integers(0, 50, n_items)) if grouped else None
    )
    task = Task("t", "T", LABELS, policies=Policies(missing=missing))
    submissions = tuple(
        Submission(f"team {number}", codes)
        for number, codes in enumerate([*teams, teams[2].copy()])
    )
    return Campaign(task, Gold(LABELS, gold, groups=groups), submissions)


def stored(campaign, folder):
    """A store that holds it."""
    path = folder / "audit.db"
    with open_store(path) as opened:
        opened.save_campaigns(campaign)
    return path


def document(evaluation):
    """All that was computed."""
    return json.dumps(evaluation_document(evaluation), sort_keys=True)


@pytest.fixture
def in_blocks(monkeypatch, tmp_path):
    """Small blocks; the folder for temporary files."""
    monkeypatch.setattr("audit.execution.ANSWERS", 9 * BLOCK)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# Spans and blocks


@pytest.mark.parametrize(("n_items", "n_teams"), [(0, 3), (1, 1), (360, 9), (361, 9), (5, 1000)])
@pytest.mark.usefixtures("in_blocks")
def test_spans_cover_every_item_once(n_items, n_teams):
    """Each of at least one item, and of no more answers than a block holds where a block can hold an item."""
    found = spans(n_items, n_teams)
    assert [item for start, stop in found for item in range(start, stop)] == list(range(n_items))
    assert all((stop - start) * n_teams <= max(9 * BLOCK, n_teams) for start, stop in found)
    assert len(spans(9 * BLOCK, 1)) == 1
    assert len(spans(9 * BLOCK + 1, 1)) == 2


def test_merging_leaves_the_blocks_as_they_are():
    """The first one too."""
    blocks = [np.array([1, 2]), np.array([3, 4])]
    assert merge(blocks).tolist() == [4, 6]
    assert [block.tolist() for block in blocks] == [[1, 2], [3, 4]]


@pytest.mark.usefixtures("in_blocks")
def test_progress_is_told_block_by_block():
    """Of every piece of work that has several."""
    told = []
    campaign = made_up()
    evaluate(campaign, on_step=lambda *step: told.append(step)).settled()
    n_blocks = -(-300 // BLOCK)
    assert told[:n_blocks] == [("scoring", done, n_blocks) for done in range(1, n_blocks + 1)]
    assert {step for step, *_ in told[n_blocks:]} == {"comparing"}
    assert len(told) > n_blocks
    assert len(told) % n_blocks == 0


@pytest.mark.parametrize("drop_missing", [False, True])
@pytest.mark.usefixtures("in_blocks")
def test_counts_are_those_of_all_items_at_once(drop_missing):
    """Confusions, missing and unusable answers."""
    campaign = made_up(missing="drop" if drop_missing else "wrong")
    codes = [submission.codes for submission in campaign.submissions]
    found = score_campaign(campaign)
    expected = count_confusions(campaign.gold.codes, codes, 3, drop_missing=drop_missing)
    np.testing.assert_array_equal(found.confusions, expected)
    answers = answers_of(campaign, campaign.submissions)
    for team, given in enumerate(codes):
        assert answers.missing[team].sum() == (given == 3).sum()
        assert answers.cells.answers[team, 3] == (given == 4).sum()


# The same bytes


@pytest.fixture(params=["this process", "processes", "cluster"])
def executor(request):
    """Each place where blocks can be computed."""
    if request.param == "cluster":
        return request.getfixturevalue("local_cluster")
    return THIS_PROCESS if request.param == "this process" else Processes(2)


IN_THE_GATE = [("this process", False), ("this process", True), ("cluster", False)]
# starting processes takes seconds
BY_NIGHT = [("processes", True), ("processes", False), ("cluster", True)]


@pytest.mark.parametrize(
    ("executor", "grouped"), IN_THE_GATE + BY_NIGHT * ALL, indirect=["executor"]
)
def test_every_executor_gives_the_same_bytes(in_blocks, tmp_path, executor, grouped):
    """Of counts and of a comparison, from the store and mapped codes; no file and no process is left."""
    campaign, key = made_up(grouped=grouped), ScoreKey("averaged_f1")
    before = set(multiprocessing.active_children())

    def computed(campaign, blocks):
        evaluation = score_campaign(campaign, blocks=blocks)
        made = compare(
            evaluation,
            key,
            items_of(evaluation, campaign.predictions_of(evaluation.entries), blocks),
            1,
        )
        parts = (
            evaluation.confusions,
            evaluation.values,
            made.standard_error,
            made.adjusted_p,
            made.possible_ranks,
        )
        return [part.tobytes() for part in parts]

    with (
        open_store(stored(campaign, tmp_path)) as opened,
        opened.campaign_to_evaluate("t") as mapped,
    ):
        assert computed(mapped, Blocks(executor)) == computed(campaign, Blocks())
    assert list(in_blocks.glob("audit-codes-*")) == []
    assert set(multiprocessing.active_children()) == before


class Elsewhere(type(THIS_PROCESS)):
    """Runs tasks as another process would: what it is sent and what it sends back goes through a pickle."""

    def map(self, work, shared, tasks):
        work, shared = sent((work, shared))
        return (sent(work(shared, sent(task))) for task in tasks)


def sent(what):
    return pickle.loads(pickle.dumps(what))  # noqa: S301 - our own


@pytest.fixture(
    params=[
        "elsewhere",
        pytest.param("cluster", marks=slow("the same test, and counts on a cluster")),
    ]
)
def other_place(request):
    """Where nothing of this process is."""
    return request.getfixturevalue("local_cluster") if request.param == "cluster" else Elsewhere()


@pytest.mark.usefixtures("in_blocks")
def test_a_whole_evaluation_in_another_place_has_the_same_bytes(tmp_path, other_place):
    """From the command's side of the workflow: the document that the store keeps."""
    campaign = made_up(grouped=True)
    found = workflow.read_evaluation("t", stored(campaign, tmp_path), executor=other_place)
    assert document(found) == document(evaluate(campaign).settled())


@slow("formats/test_loading::test_several_processes_read_what_one_reads")
def test_folders_are_read_by_any_executor(local_cluster, monkeypatch):
    """Submissions too are read by the executor that is handed in, where there is much to read."""
    monkeypatch.setattr("audit.formats.campaign.all_files.MUCH", 0)
    here, there = (
        read_campaigns(samples() / "flood-posts", executor=each)[0]
        for each in (THIS_PROCESS, local_cluster)
    )
    assert document(evaluate(here)) == document(evaluate(there))


@pytest.mark.parametrize("missing", ["wrong", "drop"])
def test_blocks_change_no_byte(monkeypatch, tmp_path, missing):
    """Small ones from mapped codes, and one from arrays, where items are independent."""
    campaign = made_up(missing=missing)
    store = stored(campaign, tmp_path)
    whole = document(evaluate(campaign).settled())
    monkeypatch.setattr("audit.execution.ANSWERS", 9 * BLOCK)
    assert document(workflow.read_evaluation("t", store)) == whole


@pytest.mark.usefixtures("in_blocks")
def test_certainty_and_pairs_are_the_same_from_mapped_codes(monkeypatch, tmp_path):
    """What looks at items one by one too."""
    campaign = made_up()
    store = stored(campaign, tmp_path)
    mapped = workflow.read_evaluation("t", store)
    pair = workflow.compare_entries("t", store, ("team 1", "team 6"))
    assert workflow.read_scores("t", store).values.tobytes() == mapped.values.tobytes()
    monkeypatch.undo()
    assert document(workflow.read_evaluation("t", store)) == document(mapped)
    assert workflow.compare_entries("t", store, ("team 1", "team 6")) == pair


@pytest.mark.usefixtures("in_blocks")
def test_a_group_lies_in_one_block(monkeypatch):
    """Groups are scattered over all items, and one is larger than a block: covariances have the same bytes."""
    campaign = made_up(grouped=True)
    evaluation = score_campaign(campaign)
    key = ScoreKey("averaged_f1")

    def found(piece):
        monkeypatch.setattr(influence_blocks, "_PIECE", piece)
        items = items_of(evaluation, campaign.predictions_of(evaluation.entries))
        return len(items._grouped.spans), differences(evaluation, key, items)

    n_blocks, small = found(16)
    assert n_blocks > 3
    monkeypatch.setattr(influence_blocks, "_VALUES", 64)
    assert found(16)[1].covariance.tobytes() == small.covariance.tobytes()
    monkeypatch.setattr("audit.execution.ANSWERS", 1 << 26)
    n_blocks, whole = found(16)
    assert n_blocks == 1
    assert whole.covariance.tobytes() == small.covariance.tobytes()
    np.testing.assert_allclose(whole.error, small.error, rtol=1e-12)
    np.testing.assert_allclose(
        found(1 << 12)[1].covariance, small.covariance, rtol=1e-9, atol=1e-18
    )


def test_blocks_of_groups_change_no_decision(monkeypatch):
    """Squares of group sums are added block by block: design effects differ in their last digits alone."""
    campaign = made_up(grouped=True)
    whole = evaluate(campaign).certainty
    monkeypatch.setattr("audit.execution.ANSWERS", 9 * BLOCK)
    small = evaluate(campaign).certainty
    np.testing.assert_allclose(small.intervals.lower, whole.intervals.lower, rtol=1e-12)
    np.testing.assert_array_equal(small.intervals.marks, whole.intervals.marks)
    for one, other in zip(small.comparisons, whole.comparisons, strict=True):
        assert one.adjusted_p.tobytes() == other.adjusted_p.tobytes()
        assert one.possible_ranks.tobytes() == other.possible_ranks.tobytes()


# The file


@pytest.mark.parametrize("end", [None, ValueError, KeyboardInterrupt])
def test_the_file_is_removed_however_it_ends(in_blocks, tmp_path, end):
    """After success, after an error, and after Ctrl-C."""
    store, seen = stored(made_up(), tmp_path), []

    def progress(*_):
        seen.extend(in_blocks.iterdir())
        if end is not None:
            raise end

    if end is None:
        workflow.read_evaluation("t", store, on_step=progress)
    else:
        with pytest.raises(end):
            workflow.read_evaluation("t", store, on_step=progress)
    assert seen
    assert list(in_blocks.glob("audit-codes-*")) == []


def test_a_small_campaign_needs_no_file(tmp_path, monkeypatch):
    """Its codes are arrays."""
    store = stored(made_up(), tmp_path)
    monkeypatch.setattr("audit.store.loading.temporary_file", lambda _: pytest.fail("written"))
    with open_store(store) as opened, opened.campaign_to_evaluate("t") as campaign:
        assert campaign.codes_file is None


@pytest.mark.usefixtures("in_blocks")
def test_codes_in_the_file_are_those_of_the_store(tmp_path):
    """Team by team, in gold order; the campaign is checked as any other."""
    campaign = made_up()
    with (
        open_store(stored(campaign, tmp_path)) as opened,
        opened.campaign_to_evaluate("t") as mapped,
    ):
        assert mapped.codes_file is not None
        content = mapped.codes_file.path.read_bytes()
        for submission, expected in zip(mapped.submissions, campaign.submissions, strict=True):
            np.testing.assert_array_equal(submission.codes, expected.codes)
    assert content == b"".join(submission.codes.tobytes() for submission in campaign.submissions)


@pytest.mark.usefixtures("in_blocks")
def test_no_room_for_the_file_is_said(tmp_path, monkeypatch):
    """With the folder for temporary files, not with the store."""
    store = stored(made_up(), tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StoreError, match="gone"):
        workflow.read_evaluation("t", store)


def test_rows_travel_as_a_path():
    """Not as codes: each process maps the file itself."""
    codes = np.arange(60, dtype=np.uint8).reshape(3, 20)
    names = (("A", None), ("B", "1"), ("B", "2"))
    with temporary_file(codes) as path:
        file = CodesFile(path, 20, code_dtype(3), names)
        rows = file.rows_of([Submission("B", codes[2], run="2"), Submission("A", codes[0])])
        assert rows[1].tolist() == codes[0].tolist()
        again = pickle.loads(pickle.dumps(rows))  # noqa: S301 - our own
        assert "table" not in vars(again)
        assert [row.tolist() for row in again] == [codes[2].tolist(), codes[0].tolist()]
        assert [row.tolist() for row in again[1:]] == [codes[0].tolist()]
        assert again.columns(np.array([5, 3])).tolist() == [[45, 43], [5, 3]]
        path.unlink()  # by somebody else
    assert not path.exists()


# Memory


@pytest.mark.usefixtures("in_blocks")
def test_memory_does_not_grow_with_teams_times_items(monkeypatch):
    """Twice the items need more memory for each item, but not for each answer to it."""
    monkeypatch.setattr("audit.execution.ANSWERS", 1 << 18)
    monkeypatch.setattr(influence_blocks, "_VALUES", 1 << 14)
    n_teams, n_items = 100, 5_000

    def peak(n_items):
        rng = np.random.default_rng(5)
        rows = (rng.integers(0, 3, n_items).astype(np.uint8) for _ in range(n_teams))
        gold = Gold(LABELS, rng.integers(0, 3, n_items).astype(np.uint8))
        with temporary_file(rows) as path:
            file = CodesFile(
                path,
                n_items,
                code_dtype(3),
                tuple((f"team {number}", None) for number in range(n_teams)),
            )
            rows = file.rows_of(
                [Submission(f"team {number}", gold.codes) for number in range(n_teams)]
            )
            submissions = tuple(
                Submission(f"team {number}", codes) for number, codes in enumerate(rows)
            )
            campaign = Campaign(Task("t", "T", LABELS), gold, submissions, codes_file=file)
            tracemalloc.start()
            try:
                evaluation = score_campaign(campaign, blocks=Blocks())
                items = items_of(evaluation, campaign.predictions_of(evaluation.entries))
                differences(evaluation, ScoreKey("accuracy"), items)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    growth = peak(2 * n_items) - peak(n_items)
    assert growth < 40 * n_items < n_teams * n_items
