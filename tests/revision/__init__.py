"""Two evaluations of one task, before and after."""
