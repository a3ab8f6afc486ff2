"""What every test shares: the numeric core is covered branch by branch, or the run fails."""

import signal
from collections.abc import Iterator
from io import StringIO

import pytest

CORE = ("audit/metrics/*", "audit/inference/*", "audit/ranking/*", "audit/flags/*", "audit/evaluation.py")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Fail a run that measures coverage of the whole suite and finds a branch of the core untested."""
    result = yield
    plugin = session.config.pluginmanager.getplugin("_cov")
    measured = getattr(plugin, "cov_controller", None) is not None and plugin.cov_total is not None
    whole_suite = session.config.option.cov_fail_under is not None if measured else False
    if whole_suite and not hasattr(session.config, "workerinput"):
        report = StringIO()
        total = plugin.cov_controller.cov.report(include=list(CORE), file=report)
        if total < 100:
            session.testsfailed += 1
            session.config.stash[_GAPS] = report.getvalue()
    return result


_GAPS = pytest.StashKey[str]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which branches of the core no test takes."""
    gaps = config.stash.get(_GAPS, "")
    if gaps:
        terminalreporter.section("The core is not covered branch by branch")
        terminalreporter.write(gaps)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that the test makes have each figure's caption and place, and no drawing, which takes most of the time.

    Pages of fixtures with a wider scope are drawn: they are made before.
    """
    monkeypatch.setattr("audit.report.sections.charts._svg", lambda *_: "<svg></svg>")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that the test starts take Ctrl-C, even where the tests run in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that the test starts measure no coverage, which doubles their time: others go the same ways."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
