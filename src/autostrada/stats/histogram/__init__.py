"""Durations in buckets: added exactly, asked for any quantile, with an interval."""
