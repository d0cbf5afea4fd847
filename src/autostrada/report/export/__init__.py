"""What lies beside a page: its charts as SVG, its tables as CSV, its run as Parquet."""
