"""Paths on the command line: what TensorFlow calls `file://` is taken, other schemes are refused."""

import os

import click

from stratagem._base.errors import UnimplementedError
from stratagem._base.paths import local_path


class LocalPath(click.Path):
    """As `click.Path`, of this machine."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """A value of the command line as a path.

        Raises:
            click.BadParameter: it has another scheme than `file://`.
        """
        try:
            return super().convert(local_path(value), param, ctx)
        except UnimplementedError as error:
            self.fail(str(error), param, ctx)
