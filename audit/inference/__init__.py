"""How sure scores and their order are: intervals, comparisons, the best set, and what a test set can tell."""
