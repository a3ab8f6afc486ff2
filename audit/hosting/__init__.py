"""Hosted campaigns: who may do what, what was received, what is to be done, what was released. No engine in it."""
