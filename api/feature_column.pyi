"""`tf.feature_column`: what a model makes of a dict of features."""
