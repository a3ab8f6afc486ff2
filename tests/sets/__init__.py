"""Tasks of several labels and of spans."""
