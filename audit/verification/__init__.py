"""Published numbers, computed again."""
