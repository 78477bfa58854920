"""The same computation in every mode of execution: things (operations, layers, losses, programs) in ways to run them.

`modes.py` has the ways, the other modules the things. Each result is compared with the one of TensorFlow 2.15.1 that
`record_tensorflow` has written, so that all ways agree with each other, too.
"""
