"""Whether what somebody claims holds of what was measured."""
