"""`python -m stratagem.cli`: the command, for a launcher that starts modules."""

from stratagem.cli._main import main

main()
