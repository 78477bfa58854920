"""Parameter servers: the servers that hold variables, the workers that take steps, and the coordinator that schedules them.

In: a traced step whose variables lie on servers; a cluster, in this process or over Ray.
Out: `strategy` is the strategy that users make; `coordinator` schedules functions on workers and brings back their results;
`remote` has the variables, and the programs by which a worker reads them and pushes its changes.
Never: applies a change twice, or loses one; lets workers wait for each other; unpickles data from an unknown sender.
"""
