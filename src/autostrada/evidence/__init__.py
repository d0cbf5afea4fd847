"""Conversion of observations and results of a trial to the evidence of its verdict."""
