"""Readings: what known scorers compute, their names, and scores under them."""
