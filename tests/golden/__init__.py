"""What the sample's report and LaTeX look like, kept as files: a change shows as a diff."""
