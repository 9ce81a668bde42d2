"""What each SDK offers is on one page, with a reason for whatever one of them lacks."""

import pytest

from tests.clients_python.sdk_offers import PAGE, page, python_offers, table, typescript_offers
from tests.web.web_client import built


@pytest.mark.slow("builds or checks a Node project")
def test_table_of_both_sdks_is_what_they_export():
    """Renew it by ``python -m tests.clients_python.sdk_offers``."""
    if why := built():
        pytest.skip(f"the SDKs are not compared: {why}")
    python, typescript = python_offers(), typescript_offers()
    assert page(table(python, typescript)) == PAGE.read_text("utf-8")
    with pytest.raises(ValueError, match=r"python alone has Client\.shuffle: say why"):
        table({**python, "Client": python["Client"] | {"shuffle"}}, typescript)
    with pytest.raises(ValueError, match=r"reasons for what is no gap: .*'ask'"):
        table(python, {**typescript, "Client": typescript["Client"] - {"ask"}})
