"""Flags of the Chromium that tests start: no sandbox in a container, and no traffic of its own."""

from typing import Final

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
