"""Generates Python models and tables of the docs from the engine's schema."""
