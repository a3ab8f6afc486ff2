"""Audits the leaderboard of a classification shared task."""

__version__ = "0.1.0"
