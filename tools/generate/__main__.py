"""``make generate``: rewrites generated files that differ from their source."""

from tools.generate.files import stale_files

for path, text in stale_files().items():
    path.write_text(text, encoding="utf-8")
    print(f"rewritten: {path}")
