"""Programs for the development of this repository."""
