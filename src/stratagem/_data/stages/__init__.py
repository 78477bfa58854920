"""The base classes of all stages, and the stages that run no user code."""
