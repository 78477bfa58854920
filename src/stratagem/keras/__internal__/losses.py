"""tf.keras.__internal__.losses."""

from stratagem._legacy import compute_weighted_loss as compute_weighted_loss
