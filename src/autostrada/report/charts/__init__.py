"""Charts, one per file; each returns a Vega-Lite document."""
