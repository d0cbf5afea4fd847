"""A server without a library: the engine, as slow or as broken as FAULT says."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ENGINE = Path(sys.executable).with_name("autostrada-engine")
CAPACITY_PER_S = 125


def main():
    fault = os.environ.get("FAULT", "")
    plan = {
        "format": 1,
        "listen": f"{os.environ['HOST']}:{os.environ['PORT']}",
        "protocol": {"kind": os.environ.get("SPEAKS", "websocket")},
        "workload": {"kind": "push"},
    }
    if fault == "limited":
        plan["faults"] = {"rate_per_s": CAPACITY_PER_S}
    if fault == "aborts":
        plan["faults"] = {"abort_after": 1}
    engine = subprocess.Popen([ENGINE, "serve", "--plan"], stdin=-1, stdout=-3)
    engine.stdin.write(json.dumps(plan).encode() + b"\n")
    engine.stdin.flush()
    if fault == "crashes":
        time.sleep(1)
        engine.kill()
        sys.exit(3)
    engine.wait()


if __name__ == "__main__":
    main()
