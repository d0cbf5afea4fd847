"""What was around the trials of a run: the machine, what went wrong, the instrument."""
