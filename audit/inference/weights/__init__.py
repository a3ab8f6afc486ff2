"""Paired item weights: replicates where they are asked for, and the randomization test of one pair."""
