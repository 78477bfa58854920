"""Slurm's short forms: the names of nodes, and how many tasks each one has."""

import itertools
import re
from collections.abc import Iterator

from stratagem._base.errors import ClusterError

_OUTER_COMMA = re.compile(r",(?![^\[]*\])")
_GROUP = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"[\w.-]+")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_COUNT = re.compile(r"([0-9]+)(?:\(x([0-9]+)\))?")


def expand_nodes(nodelist: str) -> list[str]:
    """`n[1-3,07],m01` as n1, n2, n3, n07, m01. A name may have several brackets; the last one goes round fastest.

    Raises:
        ClusterError: it is no list of nodes.
    """
    try:
        return [node for name in _OUTER_COMMA.split(nodelist) for node in _nodes(name)]
    except _FormError as error:
        raise ClusterError(
            f"Invalid hostlist format {nodelist!r}: {error}. A list of nodes looks like 'n[1-3,07],m01'."
        ) from None


def expand_counts(tasks_per_node: str) -> list[int]:
    """`2(x3),1` as 2, 2, 2, 1.

    Raises:
        ClusterError: it is no list of that form.
    """
    counts = []
    for part in tasks_per_node.split(","):
        match = _COUNT.fullmatch(part)
        if match is None:
            raise ClusterError(
                f"Invalid tasks-per-node list format {tasks_per_node!r}: {part!r} is no count. It looks like '2(x3),1'."
            )
        counts += [int(match[1])] * int(match[2] or 1)
    return counts


class _FormError(Exception):
    """What is wrong with a part of a list."""


def _nodes(name: str) -> Iterator[str]:
    """The nodes that one name with brackets stands for."""
    literals, groups = _GROUP.split(name)[::2], _GROUP.split(name)[1::2]
    choices = [list(_numbers(group)) for group in groups]
    for picked in itertools.product(*choices):
        node = "".join(itertools.chain(*itertools.zip_longest(literals, picked, fillvalue="")))
        if not _NAME.fullmatch(node):
            raise _FormError(f"{node!r} is no name of a node")
        yield node


def _numbers(group: str) -> Iterator[str]:
    """`08-10,3` as 08, 09, 10, 3."""
    for part in group.split(","):
        match = _RANGE.fullmatch(part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise _FormError(f"{part!r} is no range")
        for number in range(int(match[1]), int(match[2] or match[1]) + 1):
            yield str(number).zfill(len(match[1]))
