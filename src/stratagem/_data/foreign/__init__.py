"""Data sets of other libraries as stages. None of these libraries is imported: who passes an object has done so."""
