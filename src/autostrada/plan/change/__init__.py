"""An experiment as one run has it: quick, or with parameters that are others."""
