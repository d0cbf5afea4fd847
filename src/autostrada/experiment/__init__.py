"""Experiments: workloads, overrides, published values, order of trials. No I/O."""
