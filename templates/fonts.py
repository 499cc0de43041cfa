"""
Make the site's fonts from the npm packages of Fontsource: `make fonts`.

The packages have a file for each range of characters, of which a browser loads those
that a page needs. Here the weights that no page uses are cut off, and the features of
OpenType that none switches on; that saves a third of the bytes.
"""

import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ASSETS = Path(__file__).parent / "assets"
WEIGHTS = (400, 700)
FEATURES = ["kern", "tnum", "lnum", "locl", "ccmp", "mark", "mkmk"]
FONTS = {
    "wix-madefor-text": ("latin", "latin-ext", "cyrillic", "vietnamese"),
    "jetbrains-mono": ("latin", "latin-ext", "cyrillic"),
}
VERSION = "5.3.0"


def main() -> None:
    with TemporaryDirectory() as folder:
        for name, ranges in FONTS.items():
            package = f"@fontsource-variable/{name}@{VERSION}"
            command = ["npm", "pack", "--silent", package]
            subprocess.run(command, cwd=folder, check=True)  # noqa: S603
            with tarfile.open(next(Path(folder).glob(f"*{name}*.tgz"))) as archive:
                archive.extractall(folder, filter="data")
            for part in ranges:
                source = f"package/files/{name}-{part}-wght-normal.woff2"
                size = cut(Path(folder, source), ASSETS / f"{name}-{part}.woff2")
                sys.stdout.write(f"{name}-{part}.woff2: {size} bytes\n")
            licence = Path(folder, "package/LICENSE").read_bytes()
            (ASSETS / f"{name}.license.txt").write_bytes(licence)


def cut(source: Path, target: Path) -> int:
    """Write the font with fewer weights and features, and return its size."""
    cut_font = instantiateVariableFont(TTFont(source), {"wght": WEIGHTS})
    cut_font.flavor = None
    uncompressed = BytesIO()
    cut_font.save(uncompressed)
    font = TTFont(uncompressed)
    for glyph in font.getGlyphOrder():
        # Glyphs of one shape in all weights have none, which the subsetter expects.
        font["gvar"].variations.setdefault(glyph, [])
    options = subset.Options(layout_features=FEATURES, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(target)
    return target.stat().st_size


if __name__ == "__main__":
    main()
