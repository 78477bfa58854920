"""Everything that any process of a job can load, even one that only waits: errors, the log, files, the job, records.

In: nothing of ours, and neither JAX nor Keras.
Out: the exception tree (`errors`), names for values of the user's (`types`), the interface to the other workers (`job`),
what users' paths lead to (`paths`), files that are written whole or not at all (`files`), the file systems of other machines
(`storage`), locks between processes (`locks`), the identity of a process (`processes`), command lines of our own programs
(`programs`), the end of threads (`threads`), checksummed records and tensors as messages (`framing`, `tensor_proto`); `log`
and `backend` prepare the process.
Never: starts a process, or a thread other than one for a request to another machine; computes on a device.
"""
