"""The exceptions that end a trace early: none of them is an error, and users never see them."""

from stratagem._core.mesh import ReplicaMesh


class HostMode(Exception):
    """The traced function needs values: it has to run in Python instead."""


class OtherMesh(Exception):
    """The traced function uses a strategy with another mesh than the trace assumed: the trace has to start again with that."""

    def __init__(self, mesh: ReplicaMesh) -> None:
        super().__init__()
        self.mesh = mesh


class UnknownShapes(Exception):
    """The trace gathers a value of this shape, and the shapes on other replicas are not known yet."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape


INTERRUPTS = (HostMode, OtherMesh, UnknownShapes)
