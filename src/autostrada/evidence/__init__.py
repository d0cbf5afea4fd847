"""From what was seen of a trial to what a verdict rests on."""
