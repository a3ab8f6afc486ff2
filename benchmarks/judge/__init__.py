"""The judge of `benchmarks/coverage.py`: populations, their true scores and the counting, apart from what is judged."""
