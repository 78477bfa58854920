"""From a data set to the replicas: who gets what, in pieces of which size, and where each of them is."""
