# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._addons import angles_to_projective_transforms as angles_to_projective_transforms
from stratagem._addons import rotate as rotate
from stratagem._addons import transform as transform
from stratagem._addons import translate as translate
from stratagem._addons import translations_to_projective_transforms as translations_to_projective_transforms

__all__ = [
    "angles_to_projective_transforms", "rotate", "transform", "translate", "translations_to_projective_transforms"
]  # fmt: skip
