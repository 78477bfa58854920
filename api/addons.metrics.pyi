"""tfa.metrics: metrics."""
