"""Functions that users give to `map`, `filter` and the like: traced once and run on many elements, or called in Python."""
