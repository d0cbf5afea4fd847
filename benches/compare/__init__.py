"""The instrument's table: the engine beside the least, and others, that do the same."""
