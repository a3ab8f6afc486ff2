"""What task.toml says: its settings, checked, and how it describes the layout of a file."""
