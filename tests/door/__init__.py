"""Gold and submissions as users name them, and folders read by evidence."""
