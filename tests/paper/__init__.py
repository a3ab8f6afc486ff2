"""Tests of what goes into the paper."""
