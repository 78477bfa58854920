"""`tf.io`: local files, records, images, and what is serialized in them."""
