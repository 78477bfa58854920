"""`tf.launch`: calls a function of the user's as the tasks of a job, and returns what each returned.

In: a function, its arguments, numbers of tasks.
Out: results, or the exception of the task that failed first; what the tasks print, while they run.
Never: unpickles anything but what a process that it started has written to a file without a name, which it opened itself.
"""
