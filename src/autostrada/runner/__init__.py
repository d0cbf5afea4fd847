"""Starts engine and contestants, runs trials, and whole experiments."""
