"""What users would cost with what was measured."""
