"""Calibration: injects faults of known size and checks the engine's reports."""
