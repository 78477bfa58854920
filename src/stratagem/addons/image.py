"""tfa.image: transformations of images."""

from stratagem import _hooks
from stratagem._addons import angles_to_projective_transforms as angles_to_projective_transforms
from stratagem._addons import not_in_addons as _not_in_addons
from stratagem._addons import rotate as rotate
from stratagem._addons import transform as transform
from stratagem._addons import translate as translate
from stratagem._addons import translations_to_projective_transforms as translations_to_projective_transforms

_hooks.install()
__getattr__ = _not_in_addons("image")
