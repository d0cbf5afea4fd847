"""A trial of each kind of workload: its processes started, and held to their word."""
