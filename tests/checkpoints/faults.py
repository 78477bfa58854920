"""Ways to damage a checkpoint."""

import json
import random
from pathlib import Path
from typing import Any

import google_crc32c


def manifest_of(step: Path) -> dict[str, Any]:
    """What the manifest says."""
    found: dict[str, Any] = json.loads((step / "manifest.json").read_text())
    return found


def reseal(step: Path, **changes: Any) -> None:
    """Change fields of the manifest and seal it as its author would: what a stranger, or a later version, may write."""
    seal(step, json.dumps({key: value for key, value in manifest_of(step).items() if key != "crc32c"} | changes)[1:])


def seal(step: Path, body: str) -> None:
    """Write a manifest, all but its first brace, with the checksum that it says it has."""
    (step / "manifest.json").write_text(f'{{"crc32c": "{google_crc32c.value(body.encode()):08x}",\n{body}')


def files_of(step: Path) -> list[Path]:
    """Every file of the checkpoint, the manifest included."""
    return sorted(path for path in step.rglob("*") if path.is_file())


def flip_a_bit(step: Path, seed: int) -> str:
    """Flip one bit; the file's path below the step.

    With an even seed every bit of the checkpoint has the same chance, with an odd one every file, however small.
    """
    rng = random.Random(seed)
    files = files_of(step)
    file = rng.choices(files, weights=[1 if seed % 2 else path.stat().st_size for path in files])[0]
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return file.relative_to(step).as_posix()
