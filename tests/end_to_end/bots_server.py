"""A server without a library: the engine, broken according to FAULT."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from autostrada.machine.ports import sockets_of_port

ENGINE = Path(sys.executable).with_name("autostrada-engine")
ESTABLISHED = "01"
"""The kernel's code for a connected socket: proc_pid_net(5)."""


def main():
    fault = os.environ.get("FAULT", "")
    plan = {
        "format": 2,
        "listen": f"{os.environ['HOST']}:{os.environ['PORT']}",
        "protocol": {"kind": os.environ.get("SPEAKS", "websocket")},
        "workload": {"kind": "push"},
    }
    if fault == "aborts":
        plan["faults"] = {"abort_after": 1}
    engine = subprocess.Popen([ENGINE, "serve", "--plan"], stdin=-1, stdout=-3)
    engine.stdin.write(json.dumps(plan).encode() + b"\n")
    engine.stdin.flush()
    if fault == "crashes":
        while not sockets_of_port(int(os.environ["PORT"]), ESTABLISHED):
            time.sleep(0.01)  # The kernel has no event for this.
        engine.kill()
        sys.exit(3)
    while fault == "restless" and engine.poll() is None:
        time.sleep(0.001)
        sum(range(10_000))
    engine.wait()


if __name__ == "__main__":
    main()
