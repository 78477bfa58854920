"""tfa.callbacks: callbacks."""
