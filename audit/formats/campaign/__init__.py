"""A folder → a Campaign: which file is what, and every one of them read."""
