"""The kinds of workloads, one module each."""

from typing import Annotated

from pydantic import Field

from autostrada.workloads.echo import Echo
from autostrada.workloads.feed import Feed
from autostrada.workloads.publish import Publish
from autostrada.workloads.push import Push
from autostrada.workloads.reply import Reply

AnyWorkload = Annotated[
    Push | Feed | Echo | Reply | Publish, Field(discriminator="kind")
]
"""Any kind of ``[[workload]]`` of an experiment."""
