"""Competition platforms, participants, containers, archives."""
