"""Decisions are the same bytes on every processor: under other kernels of OpenBLAS, thread counts and blocks."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.inference import gaussian, influence_blocks, label_source
from tests.nightly import slow

from .campaigns import made_certain, noisy

CHOSEN = ("chosen_lower", "chosen_upper")
PARTS = ("standard_error", "adjusted_p", "ahead", "possible_ranks", "could_be_best", *CHOSEN)
NUMBERS = ("critical_value",)
INTERVALS = ("lower", "upper", "marks", "gap_upper", "gap_marks")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PRINT = """
import sys, threadpoolctl
sys.path.insert(0, sys.argv[1])
from inference.test_determinism import digest, grouped_campaign
print(digest(grouped_campaign()))
print(*{library["architecture"] for library in threadpoolctl.threadpool_info() if "architecture" in library})
"""


def grouped_campaign():
    """Teams of whom every third has a twin, and every fourth one that differs in an item, on 800 items in 90 groups."""
    rng = np.random.default_rng(71)
    gold = rng.choice(4, 800, p=[0.6, 0.25, 0.12, 0.03])
    teams = noisy(rng, gold, 4, np.linspace(0.5, 0.8, 13))
    twins, near = ([team.copy() for team in teams[start::step]] for start, step in ((0, 3), (1, 4)))
    for number, team in enumerate(near):
        team[number] = (team[number] + 1) % 4
    teams += [*twins, *near, np.zeros(800, dtype=int)]
    return made_certain(
        gold,
        teams,
        4,
        groups=rng.integers(0, 90, 800),
        official_metric=ScoreKey("averaged_f1"),
        compare=("geometric_macro_recall",),
    )


def digest(evaluation):
    """Of everything that comparisons and intervals say."""
    state = hashlib.sha256()
    for comparison in evaluation.certainty.comparisons:
        for part in PARTS:
            state.update(np.ascontiguousarray(getattr(comparison, part)).tobytes())
        state.update(np.array([getattr(comparison, number) for number in NUMBERS]).tobytes())
    for intervals in (evaluation.certainty.intervals, evaluation.certainty.ungrouped):
        for part in INTERVALS:
            state.update(np.ascontiguousarray(getattr(intervals, part)).tobytes())
    return state.hexdigest()


def elsewhere(**environment):
    """The digest of the same campaign in a process of its own, and the kernels that it ran on."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRINT, str(Path(__file__).parents[1])],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    found, kernels = run.stdout.splitlines()
    return found, set(kernels.split())


@pytest.fixture(scope="module")
def here():
    """The campaign, made in this process."""
    return grouped_campaign()


@pytest.mark.parametrize(
    ("kernel", "threads"),
    [
        pytest.param("Nehalem", "1", marks=slow("the same test with kernels of Haswell")),
        ("Haswell", "3"),
    ],
)
def test_kernels_of_openblas_change_no_byte(here, kernel, threads):
    """Decisions, p, critical values, possible ranks, the leader's interval, errors and intervals; twins included."""
    pytest.importorskip("threadpoolctl", reason="it says which kernel a process runs on")
    found, kernels = elsewhere(OPENBLAS_CORETYPE=kernel, **dict.fromkeys(THREADS, threads))
    if kernels != {kernel}:
        pytest.skip(
            f"this processor or its BLAS has no kernel {kernel}: it ran {kernels or 'another BLAS'}"
        )
    assert found == digest(here)


def test_numpy_s_own_kernels_change_no_byte(here):
    """NumPy has other logarithms for other processors; the scores have their own."""
    pytest.importorskip("threadpoolctl", reason="it says which kernel a process runs on")
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    if not simd:
        pytest.skip("this NumPy has only the kernels of its baseline")
    found, _ = elsewhere(NPY_DISABLE_CPU_FEATURES=" ".join(simd))
    assert found == digest(here)


def test_the_campaign_puts_it_to_the_test(here):
    """It has label-identical teams, near ones, and both decided and open pairs by every score."""
    for comparison in here.certainty.comparisons:
        assert ((comparison.standard_error == 0).sum() - len(here.entries)) >= 10
        assert 20 < comparison.ahead.sum() < 200


def test_blocks_change_no_decision(monkeypatch, here):
    """Memory is bounded by blocks of values, pairs and draws, of which a decision knows nothing; p to the last bit."""
    monkeypatch.setattr(influence_blocks, "_VALUES", 64)
    monkeypatch.setattr(influence_blocks, "_PIECE", 16)
    monkeypatch.setattr("audit.execution.ANSWERS", 5000)
    monkeypatch.setattr(label_source, "_PAIR_CELLS", 64)
    monkeypatch.setattr(gaussian, "_DRAWN", 1 << 14)
    again = grouped_campaign()
    for one, other in zip(again.certainty.comparisons, here.certainty.comparisons, strict=True):
        for part in PARTS[1:]:
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
        for part in (PARTS[0], *CHOSEN, *NUMBERS):  # sums over a group's items are of floats
            np.testing.assert_allclose(getattr(one, part), getattr(other, part), rtol=1e-9)
