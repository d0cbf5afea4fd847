"""Measure how fast WebSocket software is, and what the bottleneck was."""
