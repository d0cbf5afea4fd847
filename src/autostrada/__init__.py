"""Measures how fast WebSocket software is, and what held it back."""
