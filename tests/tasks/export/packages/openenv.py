"""Runs an exported environment on OpenEnv's own server, with its client, and validates it."""

import importlib
import socket
import subprocess
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
sys.path[0] = str(folder.parent)
package = importlib.import_module(folder.name)

subprocess.run([Path(sys.executable).with_name("openenv"), "validate"], cwd=folder, check=True)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = subprocess.Popen(
    [sys.executable, "-m", "uvicorn", "server.app:app", "--port", str(port)], cwd=folder
)
try:
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.2)
    with package.WorldClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
        begun = client.reset(seed=1, settings={"templates": ["mail-delete"]})
        assert begun.observation.goal
        assert begun.observation.screenshot
        again = client.reset(seed=1)
        assert again.observation.screenshot == begun.observation.screenshot
        click = {"action": "left_click", "coordinate": [640, 400]}
        turn = client.step(package.WorldAction(action=click))
        assert (turn.reward, turn.done) == (0.0, False)
        assert turn.observation.metadata["step"] == 1
        fault = ""
        try:
            client.step(package.WorldAction(action={"action": "fly"}))
        except RuntimeError as error:
            fault = str(error)
        assert "there is no action 'fly'" in fault
        ended = client.step(package.WorldAction(action={"action": "done"}))
        assert (ended.reward, ended.done) == (0.0, True)
        assert client.state().step_count == 1
finally:
    server.terminate()
    server.wait()
print("as expected")
