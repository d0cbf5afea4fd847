"""Statistics of samples: intervals, ratios and verdicts, as pure functions."""
