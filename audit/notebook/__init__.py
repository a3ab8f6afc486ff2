"""The Python door: evaluate predictions that are already in memory, and show what was found in a notebook."""

from audit.notebook.in_memory import evaluate
from audit.notebook.named_files import load
from audit.notebook.notebook_evaluation import (
    ComparedPair,
    NotebookEvaluation,
    Plots,
    ShownDifference,
    diff,
)
from audit.notebook.numbers_in_memory import evaluate_ratings, evaluate_scores, read_scores
from audit.notebook.scored_matrix import score
