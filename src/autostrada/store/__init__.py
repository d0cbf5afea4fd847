"""The results file (store); the only package that uses DuckDB."""
