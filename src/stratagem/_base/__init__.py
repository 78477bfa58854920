"""What every process of a job can load, also one that only waits: errors, the log, files, processes, the job, records.

In: nothing of ours, and neither JAX nor Keras.
Out: the exception tree (`errors`), how code knows the other workers (`job`), a user's path as one of this machine (`paths`),
files that are written whole or not at all (`files`), locks between processes (`locks`), the identity of a process
(`processes`), command lines of our own programs (`programs`), records with checksums and tensors as messages (`framing`,
`tensor_proto`); `log` and `backend` prepare the process.
Never: starts a thread or a process, or computes on a device.
"""
