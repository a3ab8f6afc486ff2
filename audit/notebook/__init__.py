"""The Python door: evaluate predictions that are already in memory, and show what was found in a notebook."""

from audit.notebook.compared_pair import ComparedPair
from audit.notebook.in_memory import evaluate
from audit.notebook.notebook_evaluation import NotebookEvaluation
from audit.notebook.plots import Plots
from audit.notebook.scored_matrix import score
from audit.notebook.shown_difference import ShownDifference, diff

__all__ = ["ComparedPair", "NotebookEvaluation", "Plots", "ShownDifference", "diff", "evaluate", "score"]
