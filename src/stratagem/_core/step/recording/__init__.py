"""The recorder of a trace: arguments, variables and their values, assertions, results."""
