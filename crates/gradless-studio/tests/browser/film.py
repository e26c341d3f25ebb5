"""Makes a WebP film of pictures: film.py FRAMES OUT.webp. Needs Pillow."""

import sys
from pathlib import Path

from PIL import Image

frames, out = Path(sys.argv[1]), Path(sys.argv[2])
pictures = [Image.open(path).convert("RGB").resize((900, 862), Image.LANCZOS) for path in sorted(frames.glob("*.png"))]
pauses = [120] * (len(pictures) - 1) + [4000]
pictures[0].save(out, save_all=True, append_images=pictures[1:], duration=pauses, loop=0, quality=60, method=4)
assert out.stat().st_size < 2_000_000, "a film of the README has less than 2 MB"
print(f"{out}: {len(pictures)} pictures, {out.stat().st_size / 1e6:.2f} MB")
