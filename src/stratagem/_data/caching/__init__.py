"""Caches of elements in files."""
