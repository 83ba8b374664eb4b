"""Read VisualWebBench's rows from JSON (a list) or JSON Lines, a layout of our own.

The fields are those of the published columns; an image is the name of a file.
"""

from snellen.tasks.benchmarks.visualwebbench.format import (
    Layout,
    Rows,
    check,
    item_ids,
    note_of,
    space_in,
)
from snellen.tasks.benchmarks.visualwebbench.images import folder_images
from snellen.tasks.io.files import SplitFiles
from snellen.tasks.io.json_text import read_json


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split; its images are looked for beside the file.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    path = files.paths[0]
    text = read_json(path)
    if path.suffix == ".jsonl":
        rows = [line.rows(layout.row) for line in text.lines]
    else:
        rows = text.rows(list[layout.row])
    check(layout, rows, text.file)
    space = space_in(layout, rows)
    return Rows(
        # Not the published files: their checksums are those of parquet.
        role=f"{layout.config}{path.suffix}",
        split=files.split,
        path=text.file,
        sha256=text.sha256,
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=folder_images(path.parent, layout.image, rows),
        space=space,
        note=note_of(rows, space),
    )
