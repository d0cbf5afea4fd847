"""Contestants made ready: what they need, and their builds."""
