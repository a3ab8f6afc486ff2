"""Real campaigns, against what their organisers published."""
