"""Parameter servers: variables that servers keep, the steps of workers, and who hands these out.

In: a traced step whose variables lie on servers; a cluster, in this process or over Ray.
Out: `strategy` is the strategy that users make; `coordinator` hands functions out to workers, and brings back what they return;
`remote` has the variables, and the programs by which a worker reads them and pushes its changes.
Never: applies a change twice, or loses one; lets workers wait for each other; unpickles what an unknown sender has sent.
"""
