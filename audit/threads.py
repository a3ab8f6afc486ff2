"""How many threads multiply matrices in a process: one, unless somebody says otherwise.

The products here are small. Threads that share one wait for one another in a busy loop, which costs processor time, and
on a machine with other work most of the waiting.
"""

import os

_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def one_thread_by_default() -> tuple[str, ...]:
    """Set this process's environment, which NumPy reads when it is first imported; nothing where one is set."""
    if any(name in os.environ for name in _SETTINGS):
        return ()
    os.environ.update(dict.fromkeys(_SETTINGS, "1"))
    return _SETTINGS
