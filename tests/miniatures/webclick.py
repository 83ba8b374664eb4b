"""WebClick: three instructions on one page, boxes in fractions."""

from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def write(folder: Path) -> Path:
    encoded = BytesIO()
    Image.new("RGB", (128, 80), (255, 255, 255)).save(encoded, "PNG")
    rows = [
        {
            "image": {"bytes": encoded.getvalue(), "path": f"{place}.png"},
            "instruction": "open the calendar",
            "bbox": [0.1, 0.2, 0.3, 0.4 + place / 10],
            "bucket": "calendars",
        }
        for place in range(3)
    ]
    (folder / "data").mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "data" / "test-00000-of-00001.parquet")  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return folder
