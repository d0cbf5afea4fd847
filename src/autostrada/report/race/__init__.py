"""What is of races alone: who was the fastest, by how much, and why."""
