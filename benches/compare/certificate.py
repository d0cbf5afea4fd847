"""The certificate of servers for TLS, which signs itself."""

import subprocess
from pathlib import Path

FOLDER = Path(".build/bench")
CERTIFICATE_FILES = {
    "certificate_file": str(FOLDER.absolute() / "leaf.pem"),
    "key_file": str(FOLDER.absolute() / "leaf-key.pem"),
}
ENCRYPTED = {"ca_file": CERTIFICATE_FILES["certificate_file"], "version": "1.3"}
"""The part ``tls`` of a plan of the engine's client."""


def make_certificate() -> str | None:
    """Create a missing certificate; return the reason if that is impossible."""
    certificate, key = CERTIFICATE_FILES.values()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if Path(certificate).exists():
        return None
    arguments = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "3650"]
    arguments += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]
    arguments += ["-addext", "subjectAltName=IP:127.0.0.1"]
    arguments += ["-addext", "basicConstraints=critical,CA:FALSE"]
    try:
        subprocess.run(
            [*arguments, "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        return "openssl is missing: apt install openssl"
    except subprocess.CalledProcessError as error:
        return f"openssl failed: {error.stderr.decode(errors='replace').strip()}"
    return None
