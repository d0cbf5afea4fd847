// Cargo fetches for a package that has a target: this one is empty.
