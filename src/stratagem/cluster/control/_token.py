"""The secret that the tasks of a job share, in a file that only its owner can read."""

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from stratagem._errors import ClusterError

TOKEN_FILE = "STRATAGEM_TOKEN_FILE"
INSECURE = "STRATAGEM_INSECURE"
_SHORTEST = 32
_NO_SECRET = b"stratagem job without a token"


def read_token(environ: Mapping[str, str], *, loopback: bool) -> bytes:
    """The job's secret, from the file that `STRATAGEM_TOKEN_FILE` names, else from this user's own.

    loopback: all tasks are on this machine. Then the user's own file is made when it is missing.

    Raises:
        ClusterError: the file is missing, too short, or others may read it.
    """
    named = environ.get(TOKEN_FILE)
    path = Path(named).expanduser() if named else own_token_file(environ)
    if loopback and not named:
        _make(path)
    elif environ.get(INSECURE) == "1" and not path.exists():
        return _NO_SECRET
    try:
        return _checked(path)
    except FileNotFoundError:
        raise ClusterError(
            f"The tasks of this job are on several machines, and there is no token at {path}. Make one there "
            f"(`stratagem token`), copy it to every machine, or name its file in {TOKEN_FILE}. On a network that nobody "
            f"else can reach, {INSECURE}=1 runs the job without."
        ) from None


def make_token(path: Path) -> None:
    """Write a new secret to `path`, readable by its owner only, unless the file exists."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    try:
        os.link(partial, path)  # unlike a rename it leaves a file alone that another task was faster to make
    except FileExistsError:
        pass
    finally:
        partial.unlink()


def own_token_file(environ: Mapping[str, str]) -> Path:
    """Where this user's token is, unless `STRATAGEM_TOKEN_FILE` names another file."""
    configuration = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or "~", ".config")
    return Path(configuration).expanduser() / "stratagem" / "token"


def _make(path: Path) -> None:
    if path.exists():
        return
    try:
        make_token(path)
    except OSError as error:
        raise ClusterError(
            f"The secret of the job cannot be written to {path} ({error.strerror}). Name a file that this user can write in "
            f"{TOKEN_FILE}."
        ) from None


def _checked(path: Path) -> bytes:
    with path.open("rb") as file:
        facts = os.fstat(file.fileno())
        token = file.read(4096).strip()
    if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o077:
        raise ClusterError(f"Others may read the token {path}. Run: chown {os.geteuid()} {path}; chmod 600 {path}")
    if len(token) < _SHORTEST:
        raise ClusterError(f"The token in {path} has {len(token)} characters; it needs {_SHORTEST} at least.")
    return token
