"""Tests of the control tables: who may do what, what was received, the queue, the database."""
