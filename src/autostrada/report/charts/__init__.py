"""One chart a file; each is made from values and returned as a Vega-Lite document."""
