"""Charts, one per file; each is returned as data, which a page draws."""
