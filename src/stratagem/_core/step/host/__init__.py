"""Calls of a step that run on the host before its program: strings, tables, sizes that only values tell."""
