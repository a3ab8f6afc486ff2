"""Run work in this process or in several, with the same results in the same order, and report progress.

Several processes are in :mod:`audit.execution.processes`, a Dask cluster in :mod:`audit.execution.cluster`, imported
only by who starts or names them.
"""

from audit.execution.executor import (
    IN_THIS_PROCESS,
    THIS_PROCESS,
    Blocks,
    Executor,
    InThisProcess,
    Progress,
    Span,
    Steps,
    counted,
    merge,
    of_step,
    spans,
)
