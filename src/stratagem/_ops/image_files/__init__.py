"""Images as files: JPEG, PNG, GIF, BMP. They run on the host, eagerly and in functions of datasets."""

from stratagem._ops.image_files._decoding import decode_bmp as decode_bmp
from stratagem._ops.image_files._decoding import decode_gif as decode_gif
from stratagem._ops.image_files._decoding import decode_image as decode_image
from stratagem._ops.image_files._decoding import decode_jpeg as decode_jpeg
from stratagem._ops.image_files._decoding import decode_png as decode_png
from stratagem._ops.image_files._jpeg import decode_and_crop_jpeg as decode_and_crop_jpeg
from stratagem._ops.image_files._jpeg import extract_jpeg_shape as extract_jpeg_shape
