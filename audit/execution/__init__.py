"""Where work runs: in this process or in several, with the same results in the same order; and how far it is.

Several processes are in :mod:`audit.execution.processes`, imported only by who starts them.
"""

from audit.execution.executor import THIS_PROCESS, Executor, InThisProcess
from audit.execution.progress import Progress, counted

__all__ = ["THIS_PROCESS", "Executor", "InThisProcess", "Progress", "counted"]
