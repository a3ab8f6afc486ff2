"""The page: one module for each of its sections, in plain words; decisions are made below, markup above."""
