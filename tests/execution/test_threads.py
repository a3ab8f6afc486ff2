"""A command multiplies matrices on one thread, unless somebody says otherwise; the library says nothing."""

import json
import os
import subprocess
import sys

import pytest

SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
COMMAND = """
import contextlib, sys
from audit.cli import main
with contextlib.suppress(SystemExit):
    sys.argv = ["audit", "metrics"]
    main()
"""
LIBRARY = """
import audit
audit.evaluate(["a", "b", "b"], {"X": ["a", "b", "a"], "Y": ["b", "b", "b"]}).scores
"""
TOLD = """
import json, os
import threadpoolctl
threads = [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]
settings = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
print("\\n" + json.dumps([{name: os.environ[name] for name in settings if name in os.environ}, threads]))
"""


def told(program, **stated):
    """The settings of a process that ran a program, and how many threads each BLAS library in it has."""
    pytest.importorskip("threadpoolctl", reason="it says how many threads a library has")
    unset = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    environment = unset | stated | {"COLUMNS": "100"}
    ran = subprocess.run(
        [sys.executable, "-c", program + "import numpy\n" + TOLD],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


def test_a_command_has_one_thread_for_products():
    """From before NumPy is imported."""
    settings, threads = told(COMMAND)
    assert settings == dict.fromkeys(SETTINGS, "1")
    assert set(threads) == {1}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_ones_own_is_left_as_it_is(name):
    """And no other is set beside it, which might go before it."""
    settings, _ = told(COMMAND, **{name: "2"})
    assert settings == {name: "2"}


def test_the_library_leaves_the_environment_of_its_process_alone():
    """A notebook has other work, too."""
    settings, _ = told(LIBRARY)
    assert settings == {}
