"""The table in its own processes: referee, gateway, table server and page, as one command starts them."""

from pathlib import Path

from tests.table.table_process import Running


class TableProcess(Running):
    """A running table that serves a page."""

    def __init__(self, folder: Path, *, page: Path, options: tuple[str, ...] = (), listen: str = "127.0.0.1:0") -> None:
        super().__init__(folder, "--page", str(page), *options, listen=listen)
