"""A load that the hosts of a Ray cluster divide, each with an engine of its own."""
