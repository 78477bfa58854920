#!/usr/bin/env python3
"""Feed files that strangers may have written to the readers of checkpoints and SavedModels, guided by their coverage.

`python scripts/fuzz.py --minutes 60`, in an environment that has atheris besides the library (`pip install atheris`). Each
subject is fuzzed for its share of the time, in processes of their own. Checksums are taken for right, since whoever writes a
file can compute them. An error that is not of the reader's kind, a run of 20 seconds, or 2 GB of memory is a finding: its
input is written to the folder `--findings`, and the exit status is 1.

StableHLO programs are left as they are: their reader is XLA's, see `fuzz_native.py`.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
os.environ["JAX_PLATFORMS"] = "cpu"

import atheris  # noqa: E402

with atheris.instrument_imports(
    include=["stratagem._checkpoints", "stratagem._host_calls", "stratagem._saved_models", "stratagem._base.varints"]
):
    import stratagem._checkpoints
    import stratagem._saved_models

import numpy as np  # noqa: E402

import stratagem as tf  # noqa: E402
from stratagem._checkpoints import _index, _manifest, _reader, _tensorflow_contents  # noqa: E402
from stratagem._checkpoints.tensorflow import Bundle, ObjectGraph, _bundle, _strings, _table, write_bundle  # noqa: E402
from stratagem._saved_models import _load  # noqa: E402
from tests.checkpoints.faults import reseal, seal  # noqa: E402

RECORDED = ROOT / "tests" / "checkpoints" / "recorded"
REFUSALS = (tf.errors.OpError, _manifest.CheckpointError)
LONGEST, MOST_MEMORY = 20, 2048  # seconds and MB of one run
_ANY_SIZE = 1 << 14  # bytes of an input


class _AnyNumber(int):
    """A checksum that equals every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


class _AnyBytes(bytes):
    """The bytes of a checksum that equal all others."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class _AnyChecksum:
    """Stands for the format of checksums."""

    size = 4

    @staticmethod
    def pack(value: int) -> bytes:
        return _AnyBytes(4)

    @staticmethod
    def unpack_from(data: bytes, at: int) -> tuple[int]:
        return (0,)


def _trust_checksums() -> None:
    _table.masked_crc = lambda data: _AnyNumber(0)  # type: ignore[assignment]
    _table.CHECKSUM = _strings.CHECKSUM = _AnyChecksum  # type: ignore[assignment]
    _bundle.mask = _strings.mask = lambda crc: _AnyNumber(0)  # type: ignore[assignment]


@dataclass(frozen=True)
class Subject:
    """One kind of file.

    begin: makes a folder's other files, and returns the function that reads one input. seeds: inputs to begin with.
    share: of the time.
    """

    begin: Callable[[Path], Callable[[bytes], None]]
    seeds: Callable[[], list[bytes]]
    share: float


def _tables(folder: Path) -> Callable[[bytes], None]:
    prefix = folder / "t"
    Path(f"{prefix}.data-00000-of-00001").write_bytes(bytes(range(256)) * 64)

    def read(data: bytes) -> None:
        Path(f"{prefix}.index").write_bytes(data)
        bundle = Bundle(str(prefix))
        with contextlib.suppress(*REFUSALS):
            bundle.verify()
        for name in bundle.facts:
            with contextlib.suppress(*REFUSALS):
                bundle.read(name)

    return read


def _graphs(folder: Path) -> Callable[[bytes], None]:
    prefix = str(folder / "g")
    tensors: dict[str, Any] = {f"{name}/.ATTRIBUTES/VARIABLE_VALUE": np.arange(3.0) for name in ("v", "w", "o/kernel")}
    for name in ("p/.ATTRIBUTES/py_state", "s/.ATTRIBUTES/STRATAGEM_STATE"):
        tensors[name] = np.array(b"{}", object)

    def read(data: bytes) -> None:
        write_bundle(prefix, {**tensors, "_CHECKPOINTABLE_OBJECT_GRAPH": np.array(data, object)})
        objects = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0, 3.0]), o=tf.train.Checkpoint())
        objects.restore(prefix).expect_partial()

    return read


def _graph_seeds() -> list[bytes]:
    recorded = [Bundle(str(path)[:-6]) for path in sorted(RECORDED.glob("*.index"))]
    key = _tensorflow_contents.OBJECT_GRAPH
    small = ObjectGraph()
    root = small.nodes.add()
    for number, name in enumerate("vwps", 1):
        root.children.add(local_name=name, node_id=number)
        attribute = {"p": "py_state", "s": "STRATAGEM_STATE"}.get(name, "VARIABLE_VALUE")
        small.nodes.add().attributes.add(name=attribute, checkpoint_key=f"{name}/.ATTRIBUTES/{attribute}")
    root.slot_variables.add(original_variable_node_id=1, slot_name="m", slot_variable_node_id=2)
    return [small.SerializeToString(), *(b.read(key).item() for b in recorded if key in b.facts)]


def _texts(folder: Path) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        count, data = (data[0], data[1:]) if data else (0, data)
        with contextlib.suppress(ValueError):
            _strings.decode_strings(data, count, 0)

    return read


def _manifests(folder: Path) -> Callable[[bytes], None]:
    step = Path(tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(folder / "ckpt")))
    outside = folder / "outside"
    outside.write_bytes(b"secret")

    def read(data: bytes) -> None:
        seal(step, data.decode("utf-8", "replace"))
        reader = _reader.new_checkpoint_reader(str(step))
        reader.debug_string()
        objects = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
        objects.restore(step).expect_partial()

    return read


def _manifest_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        step = Path(tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(f"{folder}/ckpt"))
        return [(step / "manifest.json").read_bytes().partition(b"\n")[2]]


def _module() -> Any:
    module = tf.Module()
    module.factor, module.all = tf.Variable([2.0, 3.0]), [tf.Variable(1), {"a": tf.Variable(2.0)}]
    module.scaled = tf.function(lambda x, by=2: x * module.factor, input_signature=[tf.TensorSpec([None, 2])])
    return module


def _descriptions(folder: Path) -> Callable[[bytes], None]:
    tf.saved_model.save(_module(), folder / "model")
    file = next((folder / "model").glob("*/saved_model.json"))
    facts = json.loads((folder / "model" / "manifest.json").read_text())["files"]
    program, read_programs = next(file.parent.glob("functions/*")).read_bytes(), _load.RestoredProgram.all_of
    restored = read_programs({"fuzz": program})["fuzz"]

    class Programs:
        """Reads the one program that was saved, and takes no other bytes."""

        @staticmethod
        def all_of(codes: dict[str, bytes]) -> dict[str, Any]:
            if others := [name for name, content in codes.items() if content != program]:
                raise tf.errors.DataLossError(f"{others[0]} is another program")
            return dict.fromkeys(codes, restored)

    _load.RestoredProgram = Programs  # type: ignore[assignment, misc]

    def read(data: bytes) -> None:
        file.write_bytes(data)
        crc = _manifest.checksum(data)
        reseal(folder / "model", files={**facts, "saved_model.json": {"bytes": len(data), "crc32c": crc}})
        loaded = tf.saved_model.load(folder / "model")
        repr(loaded)
        [str(each) for each in loaded.signatures.values()]

    return read


def _description_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(_module(), folder)
        return [next(Path(folder).glob("*/saved_model.json")).read_bytes()]


def _lists(folder: Path) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        (folder / "checkpoint").write_bytes(data)
        _index._warned.clear()
        tf.train.get_checkpoint_state(folder)
        tf.train.latest_checkpoint(folder)

    return read


def _list_seeds() -> list[bytes]:
    text = (
        'model_checkpoint_path: "ckpt-2"\nall_model_checkpoint_paths: "ckpt-1"\nall_model_checkpoint_paths: "ckpt-2"\n'
    )
    text += (
        "all_model_checkpoint_timestamps: 1.5\nall_model_checkpoint_timestamps: 2e3\nlast_preserved_timestamp: 1.0\n"
    )
    return [text.encode(), b'model_checkpoint_path: "../\\"x"\n# crc32c: 00000000\n']


SUBJECTS = {
    "tables": Subject(_tables, lambda: [path.read_bytes() for path in sorted(RECORDED.glob("*.index"))], 0.4),
    "graphs": Subject(_graphs, _graph_seeds, 0.15),
    "texts": Subject(_texts, lambda: [b"\3\1\2\3aaaaabbbbbb", b"\0"], 0.05),
    "manifests": Subject(_manifests, _manifest_seeds, 0.15),
    "descriptions": Subject(_descriptions, _description_seeds, 0.15),
    "lists": Subject(_lists, _list_seeds, 0.1),
}


def fuzz(name: str, seconds: int, findings: Path) -> None:
    """Fuzzes one subject in this process, which libFuzzer ends."""
    _trust_checksums()
    folder = Path(tempfile.mkdtemp(prefix="stratagem-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(SUBJECTS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    (folder / "files").mkdir()
    read = SUBJECTS[name].begin(folder / "files")

    def one(data: bytes) -> None:
        with contextlib.suppress(*REFUSALS):
            read(data)

    arguments = [
        f"-max_total_time={seconds}", f"-timeout={LONGEST}", f"-rss_limit_mb={MOST_MEMORY}", f"-max_len={_ANY_SIZE}",
        f"-artifact_prefix={findings}/{name}-", "-print_final_stats=1", "-verbosity=1",
    ]  # fmt: skip
    print(f"folder {folder}", flush=True)
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one)
    atheris.Fuzz()


def main() -> int:
    """Fuzzes what was asked for; 0 if nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="in all")
    parser.add_argument("--only", default="", help="subjects, with commas between them")
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    parser.add_argument("--subject", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.findings.mkdir(exist_ok=True)
    if options.subject:
        fuzz(options.subject, int(60 * options.minutes), options.findings)
        return 0
    chosen = {name: each for name, each in SUBJECTS.items() if name in (options.only or ",".join(SUBJECTS)).split(",")}
    whole = sum(each.share for each in chosen.values())
    return max(
        _in_a_process(name, options.minutes * each.share / whole, options.findings) for name, each in chosen.items()
    )


def _in_a_process(name: str, minutes: float, findings: Path) -> int:
    began = time.monotonic()
    command = [sys.executable, __file__, "--subject", name, "--minutes", str(minutes), "--findings", str(findings)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    said = done.stdout + done.stderr
    (findings / f"{name}.log").write_text(said[-100_000:])
    folder = re.search(r"^folder (\S+)$", said, re.MULTILINE)
    if folder:
        shutil.rmtree(folder[1], ignore_errors=True)
    runs = re.search(r"number_of_executed_units: (\d+)", said)
    covered = re.findall(r"cov: (\d+)", said)
    print(
        f"{'ok  ' if done.returncode == 0 else 'FAIL'} {name:14} {runs[1] if runs else '?':>9} runs, "
        f"coverage {covered[-1] if covered else '?'}, {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
