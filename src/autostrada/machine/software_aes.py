"""
Environment variables that make libraries encrypt without the CPU's AES instructions.

OpenSSL and its descendants (BoringSSL, AWS-LC) read one variable, Go and Java each
their own. The Rust library ring has no such setting.
"""

import platform
from collections.abc import Mapping

from autostrada.errors import UsageError

_AESNI_AND_PCLMULQDQ = 1 << 57 | 1 << 33
"""Bits of the first word of OPENSSL_ia32cap(3)."""

_VAES_AND_VPCLMULQDQ = 1 << 42 | 1 << 41
"""Bits of its second word."""

ENVIRONMENT: Mapping[str, str] = {
    "OPENSSL_ia32cap": f"~{_AESNI_AND_PCLMULQDQ:#x}:~{_VAES_AND_VPCLMULQDQ:#x}",
    "GODEBUG": "cpu.aes=off,cpu.pclmulqdq=off",
    "JAVA_TOOL_OPTIONS": (
        "-XX:+UnlockDiagnosticVMOptions -XX:-UseAES -XX:-UseAESIntrinsics "
        "-XX:-UseAESCTRIntrinsics -XX:-UseGHASHIntrinsics"
    ),
}


def software_aes() -> Mapping[str, str]:
    """
    Return the variables for this machine.

    Raises:
        UsageError: its architecture has other instructions.
    """
    if platform.machine() != "x86_64":
        raise UsageError(
            f'server_host.aes = "software" is known for x86_64 only, and this machine '
            f"is {platform.machine()}: omit it"
        )
    return ENVIRONMENT
