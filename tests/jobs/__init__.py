"""Tests of the workers and of what they leave behind when something fails."""
