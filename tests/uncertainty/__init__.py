"""How sure scores and ranks are: against closed forms, other programs, naive loops, and simulation."""
