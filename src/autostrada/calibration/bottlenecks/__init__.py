"""Trials whose bottleneck is known, to check verdicts."""
