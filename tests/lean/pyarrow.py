"""Not there for the processes that tests start: Keras would import it, which takes longer than what most of them do."""

raise ModuleNotFoundError(__doc__)
