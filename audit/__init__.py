"""Audits the leaderboard of a classification shared task."""
