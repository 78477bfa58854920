"""User functions given to `map`, `filter` and similar methods: traced once and run on many elements, or called in Python."""
