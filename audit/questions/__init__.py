"""What an audit says: one module for each question of the report, and what they share."""
