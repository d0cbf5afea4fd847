"""Payloads: given texts and bytes, and generated events in several encodings."""

import json
import random
from base64 import b64decode, b64encode
from functools import lru_cache
from string import ascii_letters, digits
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
"""Size of the largest message that the engine supports."""

Encoding = Literal["text", "binary", "base64", "packet"]
"""How the bytes of an event are sent: as a text message, as a binary message, as Base64
in a text message, or as a packet of docs/published.md, 3.2."""


class Payload(BaseModel):
    """One message: either text, or bytes in Base64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give text or base64")
        return self

    @property
    def size(self) -> int:
        """Size in bytes."""
        if self.base64 is not None:
            return len(b64decode(self.base64))
        return len((self.text or "").encode())


@lru_cache(maxsize=1)
def payload_of(size: int) -> bytes:
    """Return ``size`` random letters and digits; the result is always the same."""
    return "".join(random.Random(0).choices(ascii_letters + digits, k=size)).encode()


def encode(event: bytes, encoding: Encoding) -> Payload:
    """Return the message that carries an event; ``text`` requires UTF-8."""
    if encoding == "text":
        return Payload(text=event.decode())
    base64 = b64encode(event).decode()
    if encoding == "binary":
        return Payload(base64=base64)
    if encoding == "base64":
        return Payload(text=base64)
    return Payload(text=json.dumps({"event": base64}, separators=(",", ":")))
