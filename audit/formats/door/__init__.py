"""The door: gold and submissions as a user names them, or a folder read by evidence → files.csv and task.toml."""
