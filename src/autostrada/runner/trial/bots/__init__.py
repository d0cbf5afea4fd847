"""Bots: what they are told, what they say, and what is made of it."""
