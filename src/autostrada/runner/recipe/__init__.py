"""Trials by hand: what to paste into a shell, cell by cell."""
