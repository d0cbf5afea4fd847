"""The machine: its cores and other properties, and the processes that run on it."""
