"""Known weights on the scale: does the instrument show what was put on it?"""
