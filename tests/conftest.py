"""What all tests share: which run by day, and analyses that the tests of a module compute once."""

import gc
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

from tests.nightly import ALIKE, ALL

TESTS = Path(__file__).parent


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why tests were skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} skipped: {reasons_of(skipped)}")


def reasons_of(skipped: list[pytest.TestReport]) -> str:
    """Why tests were skipped, the most frequent reason first; slow ones together, of which each has a reason."""
    reasons = (report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    counted = Counter(SLOW if reason.startswith("slow: ") else reason for reason in reasons)
    return "; ".join(f"{count} {reason}" for reason, count in counted.most_common())


SLOW = "slow, each with what holds it by day (-rs names it, AUDIT_TESTS=all runs them)"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[list[pytest.Collector]]:
    """Tests have no examples in their docstrings: looking for some took a second."""
    collectors = yield
    if not (file_path.is_relative_to(TESTS) and file_path.name.startswith("test_")):
        return collectors
    return [each for each in collectors if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By day a slow test is skipped, and says which faster one holds the same; by night all run."""
    for cases in () if ALL else cases_by_test(items):
        few = cases[0].get_closest_marker("by_day")
        spared = cases if few is None else spread(cases, few.args[0])
        for item in cases:
            slow = item.get_closest_marker("slow")
            if slow is not None or item not in spared:
                item.add_marker(pytest.mark.skip(reason=f"slow: {slow.args[0] if slow else ALIKE}"))


def cases_by_test(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    """The cases of each test, in their order."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return list(cases.values())


def spread(cases: list[pytest.Item], number: int) -> list[pytest.Item]:
    """So many of the cases, evenly spread; all where there are no more."""
    if len(cases) <= number:
        return cases
    return [cases[at * len(cases) // number] for at in range(number)]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests and all modules stay to the end: the collector of garbage need not look at them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="module")
def _found() -> dict[object, object]:
    """What was found about the evaluations of a module, by all that it is computed from."""
    return {}


@pytest.fixture
def computed_once(monkeypatch: pytest.MonkeyPatch, _found: dict[object, object]) -> None:
    """The same evaluation is analysed once."""
    from audit import evaluation  # noqa: PLC0415 - after coverage has begun
    from audit.domain import analyses  # noqa: PLC0415 - likewise
    from audit.inference.certainty_analysis import certainty_of, power_of  # noqa: PLC0415 - likewise

    def once(compute, asked, *alive):
        if asked not in _found:
            _found[asked] = compute(), alive
        return _found[asked][0]

    def certainty(found, predictions, *, seed, also, blocks):
        asked = found.signature, seed, tuple(also), tuple(codes.tobytes() for codes in predictions)
        return once(
            lambda: certainty_of(found, predictions, seed=seed, also=also, blocks=blocks), asked
        )

    def power(found, items, also=()):
        groups = None if items.groups is None else items.groups.tobytes()
        asked = (
            found.signature,
            tuple(also),
            id(found.certainty),
            items.sample.predictions.tobytes(),
            groups,
        )
        return once(lambda: power_of(found, items, also), asked, found.certainty)

    def of_scores(analyse):
        def analysed(found):
            asked = (
                analyse,
                found.signature,
                found.names,
                found.task.label_set,
                found.confusions.tobytes(),
            )
            return once(lambda: analyse(found), (*asked, found.values.tobytes()))

        return analysed

    for name in ("macro_f1", "winner_map"):
        maker = analyses._MAKERS[name]
        monkeypatch.setitem(analyses._MAKERS, name, replace(maker, make=of_scores(maker.make)))
    monkeypatch.setattr(evaluation, "certainty_of", certainty)
    monkeypatch.setattr(evaluation, "power_of", power)


@pytest.fixture
def copies_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission that says what the gold file says is one as any other.

    For tests that write gold once more to ask whether what is written is what is read.
    """
    from audit.formats.campaign import set_files, submission  # noqa: PLC0415 - after coverage has begun

    for module in (submission, set_files):
        monkeypatch.setattr(module, "refuse_copy", lambda *_, **__: None)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that the test starts take Ctrl-C, even where the tests run in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
