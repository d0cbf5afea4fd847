"""Why those won and lost of whom others published that: candidates, each tested."""
