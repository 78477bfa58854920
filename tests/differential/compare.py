"""Say which recorded programs Stratagem answers otherwise than TensorFlow; from the root of the repository:

    python -m tests.differential.compare STRATEGY [INDEX ...]

With indices: these programs, and those that differ are printed whole, to be pasted into a file. Without: all of them.
"""

import sys

from tests.differential.comparing import compare, report
from tests.differential.recordings import recorded


def main() -> None:
    """Compare and print."""
    import stratagem as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    name, wanted = sys.argv[1], set(map(int, sys.argv[2:]))
    rows = [row for row in recorded(name) if not wanted or row["i"] in wanted]
    differing = explained = 0
    for program, said, row in compare(name, rows):
        differing += bool(said)
        explained += row is not None
        if said and wanted:
            print(*report([(program, said, None)]), sep="\n")
        elif said:
            print(f"{program.index}: {f'({row.rule}) ' if row else ''}{said.splitlines()[0][:230]}", flush=True)
    print(f"{name}: {differing} of {len(rows)} differ, {explained} of them on purpose")


if __name__ == "__main__":
    main()
