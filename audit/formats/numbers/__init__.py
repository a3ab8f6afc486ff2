"""Numbers of items: columns of scorers' output, and ratings."""
