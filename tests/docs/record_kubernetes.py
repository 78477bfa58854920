"""Records in kubernetes_schemas.json what Kubernetes allows in the objects that docs/kubernetes.md has.

    pip install kubernetes-validate; python -m tests.docs.record_kubernetes

That package has the schemas of every version, 20 MB. Kept is the part by which the page's objects are judged: of each object in
them the names, the types and what is required; what the page does not use is there by its name.
"""

import functools
import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

from tests.docs.kubernetes_page import RECORDED, objects

VERSION = "1.37.0"
KEPT = ("type", "enum", "pattern", "minimum", "maximum", "required", "additionalProperties", "oneOf", "anyOf")


@functools.cache
def read(name: str) -> Any:
    """A file of the package's, of the schemas that allow no unknown names."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"v{VERSION}-local-strict"
    return json.loads((folder / name).read_text(encoding="utf-8"))


def resolved(schema: Any) -> Any:
    """The definition that a schema refers to, or the schema itself."""
    while "$ref" in schema:
        schema = read("_definitions.json")["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def part_for(schema: Any, values: Iterable[Any]) -> dict[str, Any]:
    """The part of a schema that decides about these values."""
    schema, values = resolved(schema), list(values)
    kept = {key: schema[key] for key in KEPT if key in schema}
    if isinstance(kept.get("additionalProperties"), dict):  # a map with names of one's own
        of_all = [one for value in values if isinstance(value, dict) for one in value.values()]
        kept["additionalProperties"] = part_for(kept["additionalProperties"], of_all)
    if "properties" in schema:
        kept["properties"] = {
            name: part_for(below, of_name) if (of_name := [v[name] for v in values if name in v]) else {}
            for name, below in schema["properties"].items()
        }
    if "items" in schema:
        kept["items"] = part_for(schema["items"], [one for value in values for one in value])
    return kept


def main() -> None:
    """Writes the file."""
    found = {}
    for each in objects():
        group, _, version = each["apiVersion"].rpartition("/")
        name = "-".join(filter(None, [each["kind"].lower(), group.partition(".")[0], version]))
        found[f"{each['apiVersion']} {each['kind']}"] = part_for(read(f"{name}.json"), [each])
    RECORDED.write_text(json.dumps({"version": VERSION, "schemas": found}, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
