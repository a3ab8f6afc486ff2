"""The export of an evaluation as files, and the archive from which its numbers can be computed again."""
