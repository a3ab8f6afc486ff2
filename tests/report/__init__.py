"""Tests of the report: what leaves the house as HTML, JSON and CSV."""
