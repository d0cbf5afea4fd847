"""Tables and pages, made from the store alone."""
