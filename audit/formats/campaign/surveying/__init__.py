"""What is found by looking around in a folder: where gold and submissions may be, and what to write into task.toml."""
