"""Pictures of what the page's tests show, in the folder that TABLE_PICTURES names; none without it.

``TABLE_PICTURES=FOLDER pytest -m slow tests/web_table`` keeps all screens in three sizes and strips of games' ends.
"""

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

FOLDER: Final = os.environ.get("TABLE_PICTURES", "")
FRAME_MS: Final = 400
"""Time from one frame of a strip to the next."""


def keep(page: Page, name: str) -> None:
    """Keep a picture of a page."""
    if FOLDER:
        page.screenshot(path=Path(FOLDER) / f"{name.replace(': ', '-').replace(' ', '-')}.png")


def keep_strip(page: Page, frames: Sequence[bytes], name: str) -> None:
    """Keep frames in rows of eight as one picture, by the browser's own hand."""
    sources = [f"data:image/jpeg;base64,{base64.b64encode(frame).decode()}" for frame in frames]
    if sources:
        strip = page.context.new_page()
        images = "".join(f'<img src="{source}" style="width:314px">' for source in sources)
        strip.set_content(f'<body style="margin:0;background:#222;display:flex;flex-wrap:wrap;gap:6px">{images}</body>')
        strip.screenshot(path=Path(FOLDER) / f"{name}.png", full_page=True)
        strip.close()
