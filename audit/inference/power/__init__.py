"""What a test set can tell: differences it finds, items that carry the first place, label noise, plans."""
