"""tfa.image: transformations of images."""
