"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two layouts of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""
