"""tfa.activations: activations."""
