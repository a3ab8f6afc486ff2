"""A table → gold, or the label codes of a submission in gold order, with every issue of it."""
