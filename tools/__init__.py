"""Programs for those who develop this repository."""
