"""``make generate``: rewrites generated files; reads the engine's schema on stdin."""

import sys

from tools.generate.files import definitions_of, stale_files

for path, text in stale_files(definitions_of(sys.stdin.buffer.read())).items():
    path.write_text(text, encoding="utf-8")
    print(f"rewritten: {path}")
