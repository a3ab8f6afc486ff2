"""Where work runs changes nothing of what comes out."""

import multiprocessing
import operator
from itertools import islice

import pytest

from audit.execution import THIS_PROCESS, counted
from audit.execution.processes import Processes

EXECUTORS = pytest.mark.parametrize("executor", [THIS_PROCESS, Processes(1), Processes(2)], ids=str)


@EXECUTORS
def test_results_come_in_the_order_of_the_tasks(executor):
    """However many work."""
    assert list(executor.map(operator.sub, 100, range(30))) == list(range(100, 70, -1))
    assert not multiprocessing.active_children()


@EXECUTORS
def test_no_task_has_no_result(executor):
    """And starts no process."""
    assert list(executor.map(operator.sub, 100, [])) == []


@EXECUTORS
def test_an_error_stands_in_the_place_of_its_result(executor):
    """The results before it are there, and nothing stays behind."""
    results = executor.map(operator.floordiv, 12, [3, 4, 0, 6])
    assert list(islice(results, 2)) == [4, 3]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert not multiprocessing.active_children()


def test_one_task_is_worth_no_process(monkeypatch):
    """Nor is one process worth to be another."""
    monkeypatch.setattr(
        "audit.execution.processes.ProcessPoolExecutor", lambda *_: pytest.fail("started")
    )
    assert list(Processes(8).map(operator.sub, 5, [1])) == [4]
    assert list(Processes(1).map(operator.sub, 5, [1, 2])) == [4, 3]


def test_an_entry_counts_as_done_when_the_next_is_asked_for():
    """Whether entries are tasks or results."""
    told = []
    entries = counted("ab", 2, lambda done, total: told.append((done, total)))
    assert (next(entries), told) == ("a", [])
    assert (next(entries), told) == ("b", [(1, 2)])
    assert (list(entries), told) == ([], [(1, 2), (2, 2)])
    assert list(counted("ab", 2, None)) == ["a", "b"]
