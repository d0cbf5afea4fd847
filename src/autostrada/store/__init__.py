"""The results file: the only room that knows DuckDB."""
