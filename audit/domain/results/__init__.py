"""What is computed of a campaign: scores, certainty, verdict, flags, and the evaluation that holds them all."""
