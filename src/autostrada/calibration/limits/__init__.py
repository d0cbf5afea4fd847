"""Known limits: trials of which it is known what holds them back."""
