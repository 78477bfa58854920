"""The command's list of subcommands. A subcommand's file is imported when it is used, so that `--help` does not start JAX."""

import importlib

import click

# Subcommand → its line of help; `stratagem.cli._<name>` has it as `command`.
_COMMANDS = {
    "check": "Tell which uses of TensorFlow in a program work here.",
    "checkpoint": "List, show, verify, compare and convert checkpoints.",
    "doctor": "Examine this machine and the job: what is good, doubtful or bad, and the cure.",
    "env": "Print a report to paste into a bug report.",
    "explain": "Tell what a class of errors means, and what usually cures it.",
    "launch": "Run a script as the tasks of a job.",
    "profile": "Run a program, and report where the time of its steps went.",
    "token": "Make the secret that a job on several machines shares.",
}


class _Commands(click.Group):
    """A command group that imports each subcommand on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"stratagem.cli._{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stratagem", message="stratagem %(version)s")
def main() -> None:
    """Stratagem: tf.distribute's training model on JAX and Keras 3."""
