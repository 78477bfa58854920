"""`tf.lookup.experimental`: tables to which keys are added."""
