"""The command `stratagem`; each subcommand is one file here."""

from stratagem.cli._main import main as main
