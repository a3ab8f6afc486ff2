"""Compare two evaluations of one task: what was changed, what became of it, and the words for an erratum."""
