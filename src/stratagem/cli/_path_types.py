"""Types of paths on the command line: of this machine, where TensorFlow writes `file://` too, or of any file system."""

import os
from typing import final

import click

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.paths import local_path
from stratagem._base.storage import checked_path


@final
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
        except (UnimplementedError, InvalidArgumentError) as error:
            self.fail(str(error), param, ctx)


@final
class AnyPath(click.Path):
    """A path on any file system, whether or not there is something at it."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Converts a value of the command line to a path.

        Raises:
            click.BadParameter: its scheme needs a package that is not installed, or there is a password in it.
        """
        try:
            return checked_path(value)
        except (UnimplementedError, InvalidArgumentError) as error:
            self.fail(str(error), param, ctx)
