"""A file → a table: every layout that task.toml leaves open is tried, and exactly one may remain."""
