"""The batch engine and the Python door."""
