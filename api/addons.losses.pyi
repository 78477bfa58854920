"""tfa.losses: losses."""
