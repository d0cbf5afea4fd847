"""What the samples say: intervals, ratios, verdicts. Pure."""
