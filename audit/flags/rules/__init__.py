"""The rules themselves: each an evaluation in, a flag out, or None where it stays silent."""
