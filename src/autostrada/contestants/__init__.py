"""Contestants: their manifests, builds, requirements and verification."""
