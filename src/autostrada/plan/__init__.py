"""What is to be measured: contestants, experiments, and the order of trials. Pure."""
