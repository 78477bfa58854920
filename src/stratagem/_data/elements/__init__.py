"""What an element of a data set is: nests of arrays, and their specs."""
