"""Expands Slurm's short forms of lists of nodes and of the numbers of tasks on them."""

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
    """Expands `n[1-3,07],m01` to n1, n2, n3, n07, m01. If a name has several brackets, the last one varies fastest.

    Raises:
        ClusterError: the text is no list of nodes.
    """
    try:
        return [node for name in _OUTER_COMMA.split(nodelist) for node in _nodes(name)]
    except _FormError as error:
        raise ClusterError(
            f"Invalid hostlist format {nodelist!r}: {error}. A list of nodes looks like 'n[1-3,07],m01'."
        ) from None


def expand_counts(tasks_per_node: str) -> list[int]:
    """Expands `2(x3),1` to 2, 2, 2, 1.

    Raises:
        ClusterError: the text is no list of that form.
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
    """A part of a list is malformed; the message says how."""


def _nodes(name: str) -> Iterator[str]:
    """Yields the nodes that one name with brackets stands for."""
    literals, groups = _GROUP.split(name)[::2], _GROUP.split(name)[1::2]
    choices = [list(_numbers(group)) for group in groups]
    for picked in itertools.product(*choices):
        node = "".join(itertools.chain(*itertools.zip_longest(literals, picked, fillvalue="")))
        if not _NAME.fullmatch(node):
            raise _FormError(f"{node!r} is no name of a node")
        yield node


def _numbers(group: str) -> Iterator[str]:
    """Expands `08-10,3` to 08, 09, 10, 3."""
    for part in group.split(","):
        match = _RANGE.fullmatch(part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise _FormError(f"{part!r} is no range")
        for number in range(int(match[1]), int(match[2] or match[1]) + 1):
            yield str(number).zfill(len(match[1]))
