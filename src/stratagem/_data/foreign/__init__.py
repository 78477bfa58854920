"""Datasets of other libraries as stages. These libraries are never imported: a caller who passes their objects has done so."""
