"""Results, methods and the wording of procedures, in sentences that a paper can take."""
