"""Multimodal-Mind2Web: four steps of two tasks in each split, one without a box."""

import json
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def candidate(box: str | None) -> str:
    return json.dumps({"tag": "button", "attributes": json.dumps({"bounding_box_rect": box})})


def write(folder: Path) -> Path:
    encoded = BytesIO()
    Image.new("RGB", (128, 72), (255, 255, 255)).save(encoded, "PNG")
    operations = [
        {"op": "CLICK", "original_op": "CLICK", "value": ""},
        {"op": "TYPE", "original_op": "TYPE", "value": "New York"},
        {"op": "SELECT", "original_op": "SELECT", "value": "Economy"},
        {"op": "CLICK", "original_op": "HOVER", "value": ""},
    ]
    rows = [
        {
            "annotation_id": f"task-{place // 3}",
            "action_uid": f"step-{place}",
            "confirmed_task": "Book a flight",
            "website": "united",
            "domain": "Travel",
            "operation": json.dumps(operation),
            "pos_candidates": [] if place == 3 else [candidate("12,7,25,9"), candidate(None)],
            "action_reprs": ["[link]  Book -> CLICK", "[searchbox]  From -> TYPE: New York"],
            "target_action_index": str(place % 2),
            "screenshot": {"bytes": encoded.getvalue(), "path": f"{place}.png"},
        }
        for place, operation in enumerate(operations)
    ]
    (folder / "data").mkdir(exist_ok=True)
    for split in ("test_task", "test_website", "test_domain"):
        file = folder / "data" / f"{split}-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist(rows), file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return folder
