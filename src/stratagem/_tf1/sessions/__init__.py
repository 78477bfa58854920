"""TensorFlow 1's sessions: parts of a graph as compiled steps, what is fed and fetched, saved, restored and written.

In: a graph, what a program asks for, values for its placeholders.
Out: values; variables change; checkpoints in TensorFlow's format, event files.
Never: runs a graph in any other way than a step; joins a cluster of TensorFlow's servers.
"""
