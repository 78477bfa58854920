"""Which of the TensorFlow names that real programs use are missing: `python scripts/names_used.py names_used.json`.

The file maps names to how many programs use them, in `present` and `missing`; whether they are there is asked again.
Prints the missing names by how many programs use each, those of namespaces that other work covers apart, with their number.
Exits with 1 if any of the former is missing.
"""

import argparse
import json
import sys
from pathlib import Path

import stratagem

# Built, or refused, with their subject: TensorFlow 1, feature columns, exports, images, tables, ragged tensors and texts.
APART = ("compat.v1", "estimator", "feature_column", "saved_model", "image", "lookup", "ragged", "strings")


def exists(name: str) -> bool:
    """Returns whether `tf.a.b` is there."""
    found = stratagem
    try:
        for part in name.split(".")[1:]:
            found = getattr(found, part)
    except AttributeError:
        return False
    return True


def is_apart(name: str) -> bool:
    """Returns whether a name belongs to one of the namespaces in APART, also below `tf.compat.v2`."""
    below = name.removeprefix("tf.").removeprefix("compat.v2.")
    return any(below == each or below.startswith(f"{each}.") for each in APART)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path, help="the JSON file")
    arguments.add_argument("--at-least", type=int, default=2, help="programs that use a name")
    given = arguments.parse_args()
    counted = json.loads(given.file.read_text())
    used = {**counted["missing"], **counted["present"]}
    missing = {name: count for name, count in used.items() if count >= given.at_least and not exists(name)}
    for title, chosen in (("missing", False), ("missing in namespaces apart", True)):
        found = {name: count for name, count in missing.items() if is_apart(name) is chosen}
        print(f"{title}: {len(found)} of {sum(is_apart(name) is chosen for name in used)} names")
        for name, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            print(f"  {count:4} {name}")
    sys.exit(1 if any(not is_apart(name) for name in missing) else 0)


if __name__ == "__main__":
    main()
