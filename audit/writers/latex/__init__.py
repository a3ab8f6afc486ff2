"""The LaTeX files for the paper."""

from audit.writers.latex.paper import paper_files

__all__ = ["paper_files"]
