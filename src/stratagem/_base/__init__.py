"""Everything that any process of a job can load, even one that only waits: errors, the log, paths, the job, records.

In: nothing of ours, and neither JAX nor Keras.
Out: the exception tree (`errors`), the interface to the other workers (`job`), conversion of user paths to local ones
(`paths`), checksummed records and tensors as messages (`framing`, `tensor_proto`); `log` and `backend` prepare the process.
Never: starts a thread or a process, or computes on a device.
"""
