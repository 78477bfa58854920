"""tf.keras.__internal__.losses."""
