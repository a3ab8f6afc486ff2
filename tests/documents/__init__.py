"""Tests of what passes between the store, the export and scripts."""
