"""`tf.audio`: sounds as WAV files of 16 bits."""
