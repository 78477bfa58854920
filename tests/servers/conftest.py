"""What all tests of servers begin with."""

from tests.servers.idle import threads_that_end_soon as threads_that_end_soon
