"""Did a change make it slower: two versions of a contestant, measured in turn."""
