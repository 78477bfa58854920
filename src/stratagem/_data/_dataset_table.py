"""The table by which a notebook shows a dataset: how many elements it has, and what one consists of."""

from typing import Any

import jax

from stratagem._base.html_tables import html_table
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN

_LENGTHS = {INFINITE: "endless", UNKNOWN: "unknown"}


def dataset_table(title: str, cardinality: int, spec: Any) -> str:
    """Returns the number of elements, and name, shape and dtype of each component, as HTML.

    spec: of an element; None if only running user code would tell, which showing a dataset must not do.
    """
    rows = [("elements", _LENGTHS.get(cardinality, f"{cardinality:,}"))]
    if spec is None:
        rows.append(("each of them", "known when the first is drawn: functions of the program make them"))
    else:
        found, _ = jax.tree_util.tree_flatten_with_path(spec)
        rows += [(f"element{jax.tree_util.keystr(path)}", str(leaf)) for path, leaf in found]
    return html_table(title, rows)
