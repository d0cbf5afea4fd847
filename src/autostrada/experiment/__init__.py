"""Experiments: workloads, overrides, published figures, order of trials. No I/O."""
