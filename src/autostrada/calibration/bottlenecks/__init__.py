"""Trials with a known bottleneck, which check the verdicts."""
