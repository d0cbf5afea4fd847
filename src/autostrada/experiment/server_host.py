"""The host of an experiment's servers, if it is smaller than this machine."""

from typing import Literal, Self

from pydantic import Field, model_validator

from autostrada.experiment.document import Document


class ServerHost(Document):
    """The limits of all server processes of a trial together."""

    cores: int | None = Field(default=None, gt=0)
    """Number of cores that they may run on; ``None`` for those of the experiment."""

    cpu_share_max: float | None = Field(default=None, ge=0.01)
    """CPU time per second, as a share of one core; ``None`` for no limit."""

    memory_bytes_max: int | None = Field(default=None, ge=16 * 1024**2)
    """Memory, that of the kernel included; ``None`` for no limit."""

    aes: Literal["hardware", "software"] = "hardware"
    """Whether libraries may use the CPU's instructions for AES."""

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        limits = (self.cores, self.cpu_share_max, self.memory_bytes_max)
        if self.aes == "hardware" and not any(limits):
            raise ValueError(
                "give cores, cpu_share_max, memory_bytes_max or aes, or omit the table"
            )
        return self
