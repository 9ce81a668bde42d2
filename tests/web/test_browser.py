"""Real Chromium with the TypeScript client, before the gateway and before the real Envoy with the shipped file."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.limits import LimitSettings
from tests.browser_flags import FLAGS
from tests.clients_python.watched_server import STRANGER, WITNESS, watched_server
from tests.command import referee
from tests.server.access.expiring import Expiring, token_service
from tests.server.access.identity_provider import running_provider
from tests.server.access.mint import Mint
from tests.server.envoy import ENVOY, MISSING, balancer
from tests.server.options import server_options
from tests.server.processes import Serve
from tests.web.browser_cases import CASES, Case, script_of
from tests.web.doors import opened_door
from tests.web.harness_process import harness
from tests.web.web_client import CLIENT, built, page_served, run

api = pytest.importorskip("playwright.sync_api", reason="no browser is tested: playwright is not installed")

pytestmark = pytest.mark.usefixtures("quiet_calls")  # a witness of this process logs beside the output that is read
TIMEOUT: Final = 120


@dataclass(frozen=True)
class Reached:
    """A server, the ways that lead to it, the keys of its log, and the origin of the page that asks."""

    grpc: str
    gateway: str
    keys: dict[str, str]
    page: str


@pytest.fixture(scope="module")
def client() -> Path:
    """Build the client and return its folder; skip with the reason where that is impossible."""
    if why := built():
        pytest.skip(f"the TypeScript client is not tested: {why}")
    return CLIENT


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    """One server with a door that lets the page's origin ask."""
    data = tmp_path_factory.mktemp("browser")
    with page_served() as page, opened_door(data, origins=(page,)) as (application, gateway):
        yield Reached(f"127.0.0.1:{application.port}", gateway, keys_of(application), page)


def keys_of(application: Application) -> dict[str, str]:
    """Return the keys of a server's log, as the TypeScript client takes them."""
    public = application.keys.public
    return {"origin": application.origin, "logKey": public["log"].text, "rootKey": public["root"].text}


@pytest.fixture(scope="module")
def envoy(reached: Reached, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the shipped file before one server; return its address."""
    if ENVOY is None:
        pytest.skip(MISSING)
    with balancer([reached.grpc] * 2, tmp_path_factory.mktemp("envoy")) as found:
        yield f"http://{found.address}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium of this machine; nothing is downloaded."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no browser is tested: chromium is not on the path")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="module")
def page(client: Path, browser, reached: Reached) -> Iterator[Any]:
    """Return a page of another origin than any server's, with the client's modules."""
    assert (client / "dist" / "index.js").exists()
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT * 1000)
    opened = context.new_page()
    opened.goto(reached.page)
    yield opened
    context.close()


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_page_reaches_the_service_through_the_gateway(page, reached: Reached, case: Case) -> None:
    assert page.evaluate(*script_of(case, reached.gateway, reached.keys)) == case.expected


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_page_reaches_the_service_through_envoy(page, reached: Reached, envoy: str, case: Case) -> None:
    assert page.evaluate(*script_of(case, envoy, reached.keys)) == case.expected


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_page_reaches_the_service_by_connect(page, reached: Reached, case: Case) -> None:
    """In JSON, which browsers' own tools show; only the gateway speaks it. Its errors have no trailers."""
    expected = case.expected
    if isinstance(expected, dict) and "requestId" in expected:
        found = page.evaluate(*script_of(case, reached.gateway, reached.keys, json=True))
        assert {**found, "requestId": ""} == {**expected, "requestId": ""}
    else:
        assert page.evaluate(*script_of(case, reached.gateway, reached.keys, json=True)) == expected


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("way", ["gateway", "envoy"])
def test_page_that_is_not_listed_reaches_nothing(browser, reached: Reached, way: str, request) -> None:
    """The same page under another name is another origin, and its calls are kept back by the browser."""
    base = reached.gateway if way == "gateway" else request.getfixturevalue("envoy")
    context = browser.new_context()
    stranger = context.new_page()
    stranger.goto(reached.page.replace("localhost", "127.0.0.1"))
    asked = "(base) => fetch(base + '/referee.v1.LogService/GetKeys', {method: 'POST', body: '{}', headers: "
    asked += "{'content-type': 'application/json'}}).then((one) => one.status, (error) => error.name)"
    assert stranger.evaluate(asked, base) == "TypeError"
    context.close()


PLAY_PROGRAM: Final = """async (program) => {
  const module = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  return import(module).then(() => "played", (error) => `${error.name}: ${error.message}`);
}"""
PLAY_BY_STUBS: Final = """async (base) => {
  const { connectWeb } = await import("referee-client/web");
  return connectWeb({ baseUrl: base }).log.getKeys({}).then(() => "answered", (error) => error.message);
}"""


@pytest.mark.slow("drives a browser")
def test_first_round_of_a_page_gets_from_its_error_to_a_round(client: Path, browser: Any, serve: Serve) -> None:  # noqa: ANN401
    """A newcomer's way: the page's first program, a server that lists no origin, and the flag that the error names."""
    sample = re.findall(r"```ts\n(.*?)```", (client / "README.md").read_text("utf-8"), flags=re.DOTALL)[0]
    with page_served() as origin:
        page = browser.new_context().new_page()
        page.set_default_timeout(TIMEOUT * 1000)
        page.goto(origin)

        def first_round(web: str) -> str:
            program = sample.replace("referee-client/node", "referee-client")
            return str(page.evaluate(PLAY_PROGRAM, program.replace("127.0.0.1:50051", f"http://{web}")))

        server = serve("--quiet", "--web", "127.0.0.1:0")
        web = server.ready["web"]
        refused = first_round(web)
        words = f"http://{web} answers, but not to pages of {origin} (TypeError: Failed to fetch); list {origin} in "
        words += f"the gateway's web.origins, or start it with --web-origin {origin}"
        assert refused.startswith("UnavailableError: ")
        assert words in refused
        assert words in page.evaluate(PLAY_BY_STUBS, f"http://{web}")
        server.stop()
        away = first_round(web)
        assert away.startswith("UnavailableError: ")
        assert f"did not reach http://{web}" in away
        assert "web.origins" not in away
        listed = serve("--quiet", "--web", "127.0.0.1:0", *refused.rpartition("start it with ")[2].split())
        assert first_round(listed.ready["web"]) == "played"
        page.context.close()


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Run a server with access control; return its address, its keys and a frontend's token."""
    mint = Mint()
    now = int(time.time())
    token = mint.token("frontend", nbf=now - 60, exp=now + 3600)
    access = AccessSettings(issuers=(Issuer(key=mint.key),))
    with Application(server_options(data=tmp_path, access=access)) as application:
        yield {"grpc": f"127.0.0.1:{application.port}", "keys": keys_of(application), "token": token}


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Run a server that remembers no round; return its address and its keys."""
    with Application(server_options(data=tmp_path / "forgetful", limits=LimitSettings(memo_bytes=0))) as application:
        yield {"grpc": f"127.0.0.1:{application.port}", "keys": keys_of(application)}


@pytest.fixture
def others(guarded: dict[str, Any], forgetful: dict[str, Any], expiring: dict[str, Any]) -> dict[str, Any]:
    """Run the servers that are particular in one thing each; return them by name."""
    return {"guarded": guarded, "forgetful": forgetful, "expiring": expiring}


@pytest.fixture
def expiring(serve_web: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Run a server whose clock passes the end of its callers' tokens; return its addresses, keys and control."""
    with running_provider() as provider:
        made = Expiring(provider)
        door = serve_web(server=made.settings)
        grpc = f"127.0.0.1:{door.application.port}"
        made.wait_for_provider(grpc)
        with token_service(made) as control:
            yield {"grpc": grpc, "web": door.address, "keys": keys_of(door.application), "control": control}


@pytest.mark.slow("builds or checks a Node project")
def test_client_s_own_tests_pass(client: Path, reached: Reached, others: dict[str, Any], tmp_path: Path) -> None:
    """In Node, over gRPC, gRPC-Web and Connect; none is skipped. Rounds that a witness saw first are of level L3."""
    server = {"grpc": reached.grpc, "web": reached.gateway.removeprefix("http://"), "keys": reached.keys}
    with watched_server(tmp_path / "watched") as watched, harness("--still") as line:
        keys = {"logKey": watched.trust.log_key, "rootKey": watched.trust.root_key}
        named = {"witness": WITNESS.text, "stranger": STRANGER.text, "table": "ts-waits"}
        server |= {
            **others,
            "harness": line,
            "watched": {"grpc": watched.address, "keys": keys} | named,
        }
        tested = run(client, "npm", "test", REFEREE=json.dumps(server))
        assert tested.returncode == 0, tested.stdout[-5000:]
        audited = referee("audit", watched.data, "--json", "--witness", WITNESS.text)
    assert " fail 0\n" in tested.stdout
    assert " skipped 0\n" in tested.stdout
    assert json.loads(audited.stdout)["dealing_levels"]["L3"] == 2, "the tables ts-waits and ts-one"


@pytest.mark.slow("builds or checks a Node project")
def test_client_s_types_and_form_hold(client: Path) -> None:
    checked = run(client, "npm", "run", "check")
    assert checked.returncode == 0, checked.stdout[-5000:]


def test_client_s_dependencies_are_pinned_and_from_no_named_registry() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\^?\d+\.\d+\.\d+", version) for version in versions.values())
    assert versions["@bufbuild/protobuf"] == f"^{versions['@bufbuild/protoc-gen-es']}"
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    places = {entry["resolved"] for entry in lock["packages"].values() if "resolved" in entry}
    assert places == {"../verifier"}


_CLIENT: Final = """
  const { BrowserJournal, connect } = await import("referee-client");
  const journal = new BrowserJournal();
  const client = connect(base, { journal });
"""
BEGIN: Final = f"""async ({{ base, table }}) => {{{_CLIENT}
  const game = client.mauBinh({{ table, ruleset: "mau_binh.classic", seats: 2, stake: 100 }});
  await game.open();
  await game.deal();
  const over = await game.isOver();
  const hand = game.hands.get(0);
  if (!over) {{
    await game.arrange(0, {{ back: hand.slice(0, 5), middle: hand.slice(5, 10), front: hand.slice(10) }});
  }}
  return {{ over, hand: [...hand], unfinished: await client.unfinished() }};
}}"""
GO_ON: Final = f"""async ({{ base, table, over }}) => {{{_CLIENT}
  const game = await client.resume(table);
  const hand = game.hands.get(1);
  if (!over) {{
    await game.arrange(1, {{ back: hand.slice(0, 5), middle: hand.slice(5, 10), front: hand.slice(10) }});
  }}
  const {{ outcome }} = await game.settle();
  await game.reveal();
  const net = outcome.seats.map((seat) => Number(seat.netMinor));
  return {{ hand: [...game.hands.get(0)], net, unfinished: await client.unfinished() }};
}}"""


@pytest.mark.slow("drives a browser")
def test_a_reloaded_page_resumes_its_round_from_its_browser(page: Any, reached: Reached) -> None:  # noqa: ANN401
    """The first seat has arranged before the reload and the second does after it; then nothing is kept any more."""
    place = {"base": reached.gateway, "table": "journal-1"}
    begun = page.evaluate(BEGIN, place)
    assert begun["unfinished"] == ["journal-1"]
    page.reload()
    ended = page.evaluate(GO_ON, place | {"over": begun["over"]})
    assert (ended["hand"], sum(ended["net"]), ended["unfinished"]) == (begun["hand"], 0, [])
