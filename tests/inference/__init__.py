"""Laws of intervals and comparisons, and what they are held against."""
