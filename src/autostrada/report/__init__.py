"""Reports: terminal tables, HTML pages and comparisons, built only from the store."""
