"""Starts the engine and the contestants, and runs trials and experiments."""
