"""The machine: its cores and what is known of it, and processes that run on them."""
