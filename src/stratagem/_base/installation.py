"""`install_command`: the command that adds an extra to this installation of the library, or repairs it."""

import importlib.metadata
import json
from urllib.parse import unquote, urlsplit

_NAME = "stratagem"


def install_command(extra: str = "", *, again: bool = False) -> str:
    """Returns the command of pip that installs this library again from where it came: an index, a checkout or a wheel.

    extra: with this extra, such as `cluster`. again: also the files that are there already. Where the library's files are
    only on the path, it names no place but the checkout.
    """
    wanted = f"[{extra}]" if extra else ""
    source = _source()
    command = "pip install --force-reinstall" if again else "pip install"
    if source is None:
        return f"{command} '.{wanted}' in the checkout"
    return f"{command} '{_NAME}{wanted} @ {source}'" if "://" in source else f"{command} '{source}{wanted}'"


def _source() -> str | None:
    """Returns the folder or the address that this was installed from, its name for an index, None if it is not installed.

    pip notes folders and addresses in a file of the installed package (PEP 610).
    """
    try:
        noted = importlib.metadata.distribution(_NAME).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None
    if noted is None:
        return _NAME
    found = json.loads(noted)
    address = str(found["url"])
    if "dir_info" in found:
        return unquote(urlsplit(address).path)
    vcs = found.get("vcs_info")
    return f"{vcs['vcs']}+{address}@{vcs['commit_id']}" if vcs else address
