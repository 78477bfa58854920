"""`tf.image`: resizing, cropping, colors, boxes and random changes of images, and files of them."""
