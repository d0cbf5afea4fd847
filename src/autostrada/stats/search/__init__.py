"""The most of a parameter at which all is well: which value is next, what is well."""
