"""What others have published of an experiment, and the figures that it is about."""
