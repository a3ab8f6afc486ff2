"""The rules, one by one and together."""
