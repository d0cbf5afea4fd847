"""Pages: what a person reads, as data that the application in ``site/`` draws."""
