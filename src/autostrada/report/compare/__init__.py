"""Comparison of two runs, or of two contestants of one run."""
