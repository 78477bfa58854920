"""tfa.optimizers: optimizers and learning rates."""
