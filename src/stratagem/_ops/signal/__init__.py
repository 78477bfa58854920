"""Signals: Fourier and cosine transforms, frames, windows. A folder of its own, because `tf.fftnd` is another function."""
