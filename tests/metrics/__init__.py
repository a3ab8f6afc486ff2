"""The metric core keeps its laws: scikit-learn's numbers, the papers' numbers, and what the registry declares."""
