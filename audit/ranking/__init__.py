"""Rankings of teams: how alike metrics rank them, and what other rules and class distributions make of them."""
