"""All experiments, one after another."""
