"""Small trees as the usual generators have them, and a large one of real docs."""

from pathlib import Path

HERE = Path(__file__).parent
PROMETHEUS = HERE.parents[2] / "shared" / "data" / "prometheus-docs"
