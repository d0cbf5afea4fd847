// An empty target, because Cargo requires one to fetch a package's dependencies.
