"""Tables of functions, one file a namespace of TensorFlow's: what is drawn for each of their calls."""
