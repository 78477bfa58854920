"""`tf.quantization`: rounding to the numbers of a quantized type, in floating point."""
