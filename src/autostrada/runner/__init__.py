"""Builds contestants, starts processes, runs trials."""
