"""The newest run of every experiment: their pages, an index, and what is kept."""
