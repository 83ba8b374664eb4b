"""Runs an exported resources server in NeMo Gym's own classes."""

import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

folder = Path(sys.argv[1])
sys.path[0] = str(folder)

import app  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402
from nemo_gym.server_utils import ServerClient  # noqa: E402

config = app.ExamConfig(host="127.0.0.1", port=8081, entrypoint="app.py", name="snellen_sample")
server = app.ExamServer(config=config, server_client=MagicMock(spec=ServerClient))
rows = [json.loads(line) for line in (folder / "data" / "train.jsonl").read_text().splitlines()]
row = next(row for row in rows if row["task"] == "mmbench-gui/l1")


def response(text: str) -> dict:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
    return {
        "id": "r",
        "object": "response",
        "created_at": 1.0,
        "model": "m",
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "output": [{**message, "content": content}],
    }


with TestClient(server.setup_webserver(), raise_server_exceptions=False) as client:
    assert client.get("/reverify_mode").json() == "stateless"
    rewards = set()
    for letter in "ABCDEFGH":
        given = client.post("/verify", json={**row, "response": response(letter)})
        assert given.status_code == 200, given.text
        rewards.add(given.json()["reward"])
    assert rewards == {0.0, 1.0}, rewards
    fault = client.post("/verify", json={**row, "item_id": "nope", "response": response("A")})
    assert fault.status_code == 500, fault.text
print(f"{len(rows)} rows as expected")
