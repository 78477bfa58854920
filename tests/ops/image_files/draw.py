"""Draws the small files of images that the tests decode: run it in the project's folder with Pillow.

python -m tests.ops.image_files.draw
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

FOLDER = Path(__file__).parent


def drawn(height: int, width: int, channels: int) -> np.ndarray:
    """Waves with noise."""
    random = np.random.default_rng([height, width, channels])
    y, x = np.mgrid[:height, :width]
    waves = [128 + 90 * np.sin(x / (3 + c)) * np.cos(y / (4 + 2 * c)) for c in range(channels)]
    pixels = np.clip(np.stack(waves, -1) + random.normal(0, 8, (height, width, channels)), 0, 255).astype(np.uint8)
    return pixels[..., 0] if channels == 1 else pixels


def file(image: Image.Image, kind: str, **options: Any) -> bytes:
    """An image as a file."""
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def main() -> None:
    """Write all files."""
    gray, rgb, small = (Image.fromarray(drawn(*size)) for size in ((5, 7, 1), (9, 19, 3), (4, 3, 3)))
    inks = Image.frombytes("CMYK", (6, 5), drawn(5, 6, 4).tobytes())
    palette = small.convert("P", palette=Image.Palette.ADAPTIVE, colors=7)
    files = {
        "gray.jpg": file(gray, "JPEG"),
        "rgb_444.jpg": file(rgb, "JPEG", subsampling=0, quality=90),
        "rgb_422.jpg": file(rgb, "JPEG", subsampling=1, quality=90),
        "rgb_420.jpg": file(rgb, "JPEG", subsampling=2),
        "progressive.jpg": file(rgb, "JPEG", progressive=True),
        "cmyk.jpg": file(inks, "JPEG"),
        "gray.png": file(gray, "PNG"),
        "rgb.png": file(small, "PNG"),
        "rgba.png": file(Image.fromarray(drawn(4, 3, 4)), "PNG"),
        "gray_opacity.png": file(Image.fromarray(drawn(4, 3, 2)), "PNG"),
        "bits.png": file(small.convert("1"), "PNG"),
        "palette.png": file(palette, "PNG"),
        "transparent_palette.png": file(palette, "PNG", transparency=2),
        "transparent_colour.png": file(small, "PNG", transparency=small.getpixel((1, 1))),
        "one.gif": file(palette, "GIF"),
        "three.gif": file(palette, "GIF", save_all=True, append_images=[palette.rotate(180), palette]),
        "gray.bmp": file(small.convert("L"), "BMP"),
        "rgb.bmp": file(small, "BMP"),
        "rgba.bmp": file(Image.fromarray(drawn(4, 3, 4)), "BMP"),
        "bits.bmp": file(small.convert("1"), "BMP"),
    }
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
    print(sum(map(len, files.values())), "bytes")


if __name__ == "__main__":
    main()
