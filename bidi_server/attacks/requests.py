"""Attacks by requests: every kind that a page can send, spelled hosts, and redirects."""

import trio

from bidi_server.attacks.files import PRIVATE_TEXT, make_files
from bidi_server.attacks.findings import REPORT, Finding, judge_request
from bidi_server.attacks.front import Agent, Front, until_quiet
from bidi_server.attacks.redirects import REDIRECTS, target_of
from bidi_server.attacks.refusals import recorded_refusals
from bidi_server.attacks.resolver import Resolver
from bidi_server.attacks.spelled_hosts import NAMES, SPELLINGS
from bidi_server.attacks.ways_out import NO_REQUEST, OPENS_PAGES, UNSEEN, WAYS_OUT

NOT_OPENED = "was not opened: "
"""Part of the answer about a page that the configuration forbids."""

LOAD_SECONDS = 3.0
"""Maximum timeout for a page that redirects, in seconds. Chromium loads until then when the redirect was refused."""


async def run_ways_out(front: Front) -> list[Finding]:
    """Let a page try every way out."""
    trap, engine = front.trap, front.engine
    trap.forget()
    trap.datagrams = 0
    expected = set(WAYS_OUT) - UNSEEN.get(engine, set()) - NO_REQUEST
    with recorded_refusals() as refused:
        async with front.connected() as agent:
            await agent.open(f"{front.site.origin}/attack.html?port={trap.port}")
            await until_quiet(lambda: len(refused | trap.hosts), lambda: expected <= refused | trap.hosts)
    reached = set(trap.hosts)
    if "" in reached:
        reached.add("preconnect")
    if trap.datagrams:
        reached.add("peers")
    return [_judge(front, name, reached, refused) for name in WAYS_OUT]


def _judge(front: Front, name: str, reached: set[str], refused: set[str]) -> Finding:
    promises, url = front.promises, front.trap.url(f"{name}.localhost")
    promise = promises.against_request(url, name, is_page=name in OPENS_PAGES)
    # What the lists of URLs refuse is not seen by the proxy.
    is_refused = name in refused or bool(promise and not promises.against_connection(url))
    return judge_request(name, reached=name in reached, refused=is_refused, promise=promise, advice=promises.advice)


async def run_spelled_hosts(front: Front) -> list[Finding]:
    """Open each spelled host that the configuration forbids. The others are not requested: they may exist."""
    found: list[Finding] = []
    before = trio.socket.set_custom_hostname_resolver(Resolver(NAMES))
    try:
        async with front.connected() as agent:
            for host in SPELLINGS:
                url = front.trap.url(host)
                if front.promises.against_request(url, "", is_page=True):
                    found.append(await _open_spelled(front, agent, host))
                else:
                    text = f"Pages at the spelled host {host} may be opened."
                    found.append(Finding(host, "unprotected", text, front.promises.advice))
    finally:
        trio.socket.set_custom_hostname_resolver(before)
    return found


async def _open_spelled(front: Front, agent: Agent, host: str) -> Finding:
    front.trap.forget()
    answer = await agent.call("browser_navigate", url=front.trap.url(host))
    if front.trap.hosts or not answer.is_error:
        return Finding(host, "broken", f"A page at the forbidden host {host} was opened.", REPORT)
    return Finding(host, "held" if NOT_OPENED in answer.text else "unsent", answer.text)


async def run_redirects(front: Front) -> list[Finding]:
    """Open pages that lead to the trap, and to a file of this machine."""
    uri = make_files(front.folder)["uri"]
    async with front.connected(navigation_timeout=min(front.config.navigation_timeout, LOAD_SECONDS)) as agent:
        return [await _follow(front, agent, name, uri) for name in REDIRECTS]


async def _follow(front: Front, agent: Agent, name: str, file: str) -> Finding:
    front.trap.forget()
    redirect, target = REDIRECTS[name], target_of(name, front.trap.port, file)
    with recorded_refusals() as refused:
        answers = [await agent.call("browser_navigate", url=redirect.page(front.site, target))]
        answers.append(await agent.call("browser_snapshot"))
        is_seen = front.trap.hosts or refused or any(NOT_OPENED in answer.text for answer in answers)
        if not redirect.is_to_file and not is_seen:
            await until_quiet(lambda: 0, lambda: bool(front.trap.hosts or refused))
    if redirect.is_to_file:
        if any(PRIVATE_TEXT in answer.text for answer in answers):
            return Finding(name, "broken", f"A page opened a file of this machine by {name}.", REPORT)
        return Finding(name, "held")
    url = target.replace("\\", "/")
    promise = front.promises.against_request(url if url.startswith("http") else f"http:{url}", "redirect", is_page=True)
    return judge_request(
        name,
        reached=bool(front.trap.hosts),
        refused=bool(refused) or any(NOT_OPENED in answer.text for answer in answers),
        promise=promise,
        advice=front.promises.advice,
    )
