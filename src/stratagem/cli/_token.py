"""`stratagem token`: makes the secret that the tasks of a job on several machines share."""

import os
from pathlib import Path

import click

from stratagem._cluster.control import TOKEN_FILE, make_token, own_token_file
from stratagem.cli._path_types import LocalPath


@click.command()
@click.argument("file", required=False, type=LocalPath(dir_okay=False, path_type=Path))
def command(file: Path | None) -> None:
    """Write a new secret to FILE, readable by its owner only; by default where this user's jobs look for it.

    It is not printed. A file that exists is left as it is.
    """
    path = (file or Path(os.environ.get(TOKEN_FILE) or own_token_file(os.environ))).absolute()
    if os.path.exists(path):
        raise click.ClickException(f"{path} exists. Jobs may use it; to make a new one, remove it first.")
    try:
        make_token(path)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}.") from None
    where = "to the same place" if file is None else f"and name it with `stratagem launch --token-file` or {TOKEN_FILE}"
    click.echo(f"Wrote a secret to {path}. Copy it to every machine of the job, {where}.")
