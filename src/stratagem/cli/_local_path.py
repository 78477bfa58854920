"""Local paths on the command line: TensorFlow's `file://` is accepted, other schemes are refused."""

import os

import click

from stratagem._base.errors import UnimplementedError
from stratagem._base.paths import local_path


class LocalPath(click.Path):
    """A `click.Path` that also takes `file://` paths and refuses other schemes."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Converts a value of the command line to a path.

        Raises:
            click.BadParameter: it has another scheme than `file://`.
        """
        try:
            return super().convert(local_path(value), param, ctx)
        except UnimplementedError as error:
            self.fail(str(error), param, ctx)
