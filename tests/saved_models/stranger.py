"""SavedModels of a stranger: files with other contents, and the checksums that these have."""

from pathlib import Path

import google_crc32c

from tests.checkpoints.faults import manifest_of, reseal


def description_of(model: Path) -> Path:
    return next(model.glob("*/saved_model.json"))


def replaced(model: Path, file: Path, content: bytes) -> None:
    """Writes other bytes, with the checksum that they have: an enemy's work, or a later version's."""
    file.write_bytes(content)
    name = "/".join(file.relative_to(model).parts[1:])
    facts = manifest_of(model)["files"]
    facts[name] = {"bytes": len(content), "crc32c": f"{google_crc32c.value(content):08x}"}
    reseal(model, files=facts)
