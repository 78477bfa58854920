"""What every process of a job can load, also one that only waits: errors, the log, paths, the job, records.

In: nothing of ours, and neither JAX nor Keras.
Out: the exception tree (`errors`), how code knows the other workers (`job`), a user's path as one of this machine (`paths`),
records with checksums and tensors as messages (`framing`, `tensor_proto`); `log` and `backend` prepare the process.
Never: starts a thread or a process, or computes on a device.
"""
