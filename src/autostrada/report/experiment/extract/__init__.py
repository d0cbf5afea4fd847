"""What other places need of an experiment: tables to download, a summary."""
