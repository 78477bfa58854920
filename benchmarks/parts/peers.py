"""The libraries that we are compared with, each in an environment of its own: python benchmarks/parts/peers.py installs them.

An environment is made once; its stamp is written last, so one that was interrupted is made again.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

FOLDER = Path(__file__).parents[2] / ".peers"
# The usual build of PyTorch brings gigabytes of CUDA's libraries and cannot be imported without them.
_TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
_Command = TypeVar("_Command", bound=Callable[..., None])


@dataclass(frozen=True)
class Peer:
    """What is installed, and into which Python."""

    name: str
    distribution: str
    version: str
    python: str  # the newest that has wheels of it
    needs: tuple[str, ...] = ()
    index: str = ""

    @property
    def executable(self) -> Path:
        """The Python of its environment."""
        return FOLDER / self.name / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """Holds what was installed."""
        return FOLDER / self.name / ".ready"

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is asked for."""
        return f"{self.distribution}=={self.version}", *self.needs

    @property
    def ready(self) -> bool:
        """Whether its environment has what is asked for now."""
        return self.stamp.exists() and self.stamp.read_text() == "\n".join(self.requirements)


TENSORFLOW = Peer("tensorflow", "tensorflow-cpu", "2.15.1", "3.11")
TORCH = Peer("torch", "torch", "2.13.0", "3.11", ("numpy>=2.1,<3",), _TORCH_INDEX)
ORBAX = Peer("orbax", "orbax-checkpoint", "0.12.8", "3.11", ("jax==0.10.2", "jaxlib==0.10.2"))
PEERS = (TENSORFLOW, TORCH, ORBAX)


def python_of(peer: Peer) -> Callable[[_Command], _Command]:
    """The option of a program that names another Python for a peer; without it `make bench`'s is used, if it is there."""
    return click.option(
        f"--{peer.name}-python",
        type=click.Path(exists=True, dir_okay=False),
        default=lambda: str(peer.executable) if peer.ready else None,
        help=f"A Python that has {peer.distribution} {peer.version}. [default: that of `make bench`]",
    )


def install(peer: Peer) -> None:
    """Make the peer's environment anew, with uv where it is there, as scripts/setup.sh does."""
    shutil.rmtree(FOLDER / peer.name, ignore_errors=True)
    FOLDER.mkdir(exist_ok=True)
    # A machine that keeps wheels of its own has the build without CUDA among them.
    index = [] if "PIP_FIND_LINKS" in os.environ or not peer.index else ["--extra-index-url", peer.index]
    if uv := shutil.which("uv"):
        subprocess.run([uv, "venv", "--quiet", "--python", peer.python, str(FOLDER / peer.name)], check=True)
        links = ["--find-links", os.environ["PIP_FIND_LINKS"]] if "PIP_FIND_LINKS" in os.environ else []
        strategy = ["--index-strategy", "unsafe-best-match"] if index else []
        pip = [uv, "pip", "install", "--quiet", "--python", str(peer.executable), *links, *strategy]
    else:
        python = shutil.which(f"python{peer.python}")
        if python is None:
            raise SystemExit(f"peers: {peer.name} needs Python {peer.python}, which is not here: install it, or uv")
        subprocess.run([python, "-m", "venv", str(FOLDER / peer.name)], check=True)
        pip = [str(peer.executable), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, *index, *peer.requirements], check=True)
    peer.stamp.write_text("\n".join(peer.requirements))


@click.command()
def main() -> None:
    """Install what is missing into .peers."""
    for peer in PEERS:
        if peer.ready:
            continue
        click.echo(f"peers: installing {' '.join(peer.requirements)} into {FOLDER / peer.name} (a few minutes)")
        try:
            install(peer)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"peers: {peer.name}: {error}; what it said is above") from None


if __name__ == "__main__":
    sys.exit(main())
