"""The control channel of a job: strangers, liars, agreements, and tasks that end in every way."""
