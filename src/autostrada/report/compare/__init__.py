"""Two runs, or two contestants of one run: is the second another speed?"""
