"""What is left to be tried of a run, and how long that takes."""
