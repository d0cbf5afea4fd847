"""What follows from the engine's schema: Python's models and the tables of the docs."""
