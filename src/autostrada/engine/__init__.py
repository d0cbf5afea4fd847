"""The engine: its process, its plans, and the types of its output."""
