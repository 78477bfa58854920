"""`tf.signal`: Fourier and cosine transforms, frames and windows of signals."""
