"""Calibration: faults of known size are injected; does the engine report them?"""
