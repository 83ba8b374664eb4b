"""OmniACT: three clicks on a desktop and a web page, and a script of two lines."""

import json
from pathlib import Path

from PIL import Image

CLICK = "pyautogui.click(20.5,30.0)"
SCRIPTS = (CLICK, CLICK, CLICK, f"{CLICK}\npyautogui.write('a')")


def write(folder: Path) -> Path:
    index: dict[str, dict[str, str]] = {}
    boxes = {"menu_0": {"top_left": [10, 20], "bottom_right": [31, 40], "label": "menu"}}
    for number, script in enumerate(SCRIPTS):
        # The index of the web has other names than the files.
        where, name, real = "desktop", "screen_1", "screen_1"
        if number:
            where, real = "web", "screen1"
        row = {
            "task": f"data/tasks/{where}/app/task_1.{number}.txt",
            "image": f"data/data/{where}/app/{name}.png",
            "box": f"data/metadata/{where}/boxes/app/{name}.json",
        }
        index[str(number)] = row
        for path in row.values():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = f"Task: open the menu {number}\nOutput Script:\n{script}\n"
        (folder / row["task"]).write_text(text)
        Image.new("RGB", (128, 80)).save(folder / row["image"].replace(name, real))
        stored = row["box"].replace(name, f"{real}_boxes" if number else real)
        (folder / stored).write_text(json.dumps(boxes))
    (folder / "test.json").write_text(json.dumps(index))
    return folder
