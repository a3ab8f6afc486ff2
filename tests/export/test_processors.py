"""evaluation.json has the same bytes on every processor: under other kernels of OpenBLAS, NumPy and the C library.

Each stands for a processor: what OpenBLAS runs on it, what NumPy lacks there, and what the C library does.
"""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from audit.resources import samples
from tests.nightly import slow

_PLAIN_C = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"
_PRINT = """
import hashlib, json, sys, threadpoolctl
from dataclasses import replace
from pathlib import Path
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.writers.data.export import to_json
from audit.writers.bundle.archive import evaluation_document
campaign = read_campaign(Path(sys.argv[1]), skip_rejected=True)
evaluation = evaluate(replace(campaign, options=replace(campaign.options)))
print(hashlib.sha256(to_json(evaluation_document(evaluation)).encode()).hexdigest())
print(*{library["architecture"] for library in threadpoolctl.threadpool_info() if "architecture" in library})
"""


@cache
def document_on(sample, kernel=None, *, plain=False):
    """The digest of a sample's evaluation.json from a process of its own, and the kernels of OpenBLAS it ran on."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    changed = (
        {"NPY_DISABLE_CPU_FEATURES": " ".join(simd), "GLIBC_TUNABLES": _PLAIN_C} if plain else {}
    )
    if kernel:
        changed["OPENBLAS_CORETYPE"] = kernel
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PRINT, str(samples() / sample)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **changed},
        capture_output=True,
        check=True,
        text=True,
    )
    found, kernels = run.stdout.splitlines()
    return found, set(kernels.split())


@pytest.mark.parametrize("sample", ["flood-posts", "semeval2017-task4a"])
@pytest.mark.parametrize(
    ("kernel", "plain"),
    [("Nehalem", True), ("Zen", False), ("SkylakeX", False), ("Haswell", False)],
)
@slow("inference/test_determinism::test_kernels_of_openblas_change_no_byte")
def test_processors_change_no_byte(sample, kernel, plain):
    """Nehalem stands for a processor with nothing newer: NumPy's baseline, and a C library without fused operations."""
    pytest.importorskip("threadpoolctl", reason="it says which kernel a process runs on")
    found, kernels = document_on(sample, kernel, plain=plain)
    # of doubles Zen has those of Haswell, under that name
    if kernels - {"Haswell" if kernel == "Zen" else kernel}:
        pytest.skip(
            f"this processor or its BLAS has no kernel {kernel}: it ran {kernels or 'another BLAS'}"
        )
    assert found == document_on(sample)[0]
