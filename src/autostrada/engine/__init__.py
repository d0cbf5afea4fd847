"""The engine's plans and lines as types."""
