"""The charts of an experiment, chosen from what it has swept and how long it ran."""
