"""How many threads multiply matrices in a process, or in a function: one, unless somebody says otherwise.

The products here are small. Threads that share one wait for one another in a busy loop, which costs processor time, and
on a machine with other work most of the waiting.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Result = TypeVar("Result")
_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def one_thread_by_default() -> tuple[str, ...]:
    """Set this process's environment, which NumPy reads when it is first imported; nothing where one is set."""
    if any(name in os.environ for name in _SETTINGS):
        return ()
    os.environ.update(dict.fromkeys(_SETTINGS, "1"))
    return _SETTINGS


def in_one_thread(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """The same function, whose products of matrices take one thread; afterwards they take as many as before."""

    @wraps(work)
    def bounded(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        with _libraries().limit(limits=1, user_api="blas"):
            return work(*args, **kwargs)

    return bounded


@cache
def _libraries() -> "ThreadpoolController":
    """The libraries of this process that have threads; looked up once, after NumPy has loaded its own."""
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - what commands that compare nothing do not need

    return ThreadpoolController()
