"""Experiments: workloads, overrides, published figures, the order of trials. Pure."""
