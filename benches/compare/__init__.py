"""The instrument's table: the engine beside the least that does the same."""
