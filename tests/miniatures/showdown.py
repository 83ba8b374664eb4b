"""ShowDown's clicks: three elements of one screenshot."""

import csv
from pathlib import Path

from PIL import Image

COLUMNS = ("id", "image", "instruction", "x1", "y1", "x2", "y2", "width", "height")


def write(folder: Path) -> Path:
    home = folder / "showdown-clicks-dev"
    (home / "frames").mkdir(parents=True)
    Image.new("RGB", (128, 80)).save(home / "frames" / "1.png")
    with (home / "data.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for n in range(3):
            rows.writerow((f"{n}a", "frames/1.png", "open the menu, then", n, 20, 30, 40, 128, 80))
    return folder
