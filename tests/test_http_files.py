"""What a client over HTTP does not get to see: the files of the server's machine. Every way in is tried."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import trio
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from PIL import Image

from fixtures.site import open_site
from tests.support.fronts import MODERN, ONE, TWO, Front, connected, contents, links_of, open_front, text_of, two_users

SECRET = "nobody-may-read-this"
UPLOAD = "data:text/html,<input type=file multiple>"
READ = "() => Promise.all([...document.querySelector('input').files].map(file => file.text()))"


@pytest.fixture(scope="module")
def front(browser_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server with every tool, two users, a folder for uploads, and files beside it that are nobody's business."""
    folder = tmp_path_factory.mktemp("front")
    (folder / "shared").mkdir()
    (folder / "shared" / "open.txt").write_text("for everybody")
    (folder / "shared" / "way-out.html").symlink_to(folder / "secret.html")
    (folder / "secret.html").write_text(f"<title>{SECRET}</title><p>{SECRET}</p>")
    (folder / "secret.json").write_text(json.dumps({"cookies": [], "origins": [], "about": SECRET}))
    Image.new("RGB", (3, 3)).save(folder / "secret.png")
    tools = ("--toolset", "browser,vision,extract", "--caps", "dev,pdf,testing")
    options = ("--browser", browser_name, *two_users(folder), "--upload-dirs", "shared", *tools)
    with open_front(folder, *options) as front:
        yield front


def beside(front: Front, name: str) -> Path:
    """Return the path of one of the files."""
    return front.log.parent / name


async def call(client: Client, tool: str, **arguments: object) -> str:
    """Return what a call answers that goes well."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """Return what a call answers that fails."""
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return str(error)
    assert result.is_error, text_of(result)
    return text_of(result)


async def no_file_is_open(client: Client) -> None:
    """Look at all tabs, and close them but for one."""
    tabs = await call(client, "browser_tabs", action="list")
    assert SECRET not in tabs
    assert "file:" not in tabs
    while "- 1:" in tabs:
        tabs = await call(client, "browser_tabs", action="close")


async def test_addresses(front: Front) -> None:
    """No tool that opens a page opens one of the machine, however its address is written."""
    uri = beside(front, "secret.html").as_uri()
    urls = [uri, uri.replace("///", "/"), uri.replace("file", "FiLe"), f" {uri}", f"view-source:{uri}", f"jar:{uri}!/"]
    urls += [f"feed:{uri}", f"filesystem:{uri}", f"about:reader?url={quote(uri)}", f"javascript:location='{uri}'"]
    urls += ["about:blank-not", "about:config", "about:support", "resource://gre/", "chrome://version"]
    urls += ["devtools://devtools/bundled/inspector.html"]
    why = "was not opened: over HTTP, the server's files and the browser's own pages are out of reach. Use http, https"
    async with connected(front.url, token=ONE) as client:
        own = {"session_id": json.loads(await call(client, "create_browser_session"))["session_id"]}
        for url in urls:
            assert why in await refused(client, "browser_navigate", url=url)
            assert why in await refused(client, "browser.navigate", url=url)
            assert why in await refused(client, "navigate", **own, url=url)
        assert why in await refused(client, "browser_tabs", action="new", url=uri)
        assert why in await refused(client, "new_tab", **own, url=uri)
        await no_file_is_open(client)


@pytest.mark.parametrize("base", ["http", "data", "blank", "error"])
async def test_pages(front: Front, base: str) -> None:
    """Browsers let no page of the web lead there, nor their own empty and failed ones. We rely on that."""
    uri = beside(front, "secret.html").as_uri()
    body = f"""<a id=same href="{uri}">same</a> <a id=other target=_blank href="{uri}">other</a>
        <a id=load download href="{uri}">load</a> <form action="{uri}"><button id=send>send</button></form>"""
    refresh = f"Object.assign(document.createElement('meta'), {{httpEquiv: 'refresh', content: '0;{uri}'}})"
    sent = f"Object.assign(new XMLHttpRequest(), {{onload: end, onerror: end}}); sent.open('GET', '{uri}'); sent.send()"
    scripts = [
        f"void (location.href = '{uri}')",
        f"void location.replace('view-source:{uri}')",
        f"void window.open('{uri}')",
        f"(() => {{ const opened = window.open(''); opened.location = '{uri}' }})()",
        f"fetch('{uri}').then(answer => answer.text())",
        f"new Promise(end => {{ const sent = {sent} }}).then(end => end.target.responseText)",
        f"import('{uri}')",
        f"void document.head.append({refresh})",
    ]
    async with open_site() as site, connected(front.url, token=ONE) as client:
        pages = {"http": site.html(body), "data": f"data:text/html,{quote(body)}", "error": "http://127.0.0.1:9/"}
        page = pages.get(base, "about:blank")
        await client.call_tool("browser_navigate", {"url": page})
        if base in {"http", "data"}:
            for link in ("#other", "#load", "#send", "#same"):
                said = await call(client, "browser_click", selector=link)
                assert SECRET not in said
                assert "Download" not in said
                await no_file_is_open(client)
            await call(client, "browser_click", selector="#same", modifiers=["Control"])
            await no_file_is_open(client)
        for script in scripts:
            await client.call_tool("browser_navigate", {"url": page})
            assert SECRET not in text_of(await client.call_tool("browser_evaluate", {"function": script}))
            await no_file_is_open(client)
        moved = site.serve("", status=302, headers={"location": uri})
        assert SECRET not in await refused(client, "browser_navigate", url=moved)
        await no_file_is_open(client)


async def test_frames(front: Front) -> None:
    uri = beside(front, "secret.html").as_uri()
    frame, embedded = f"<p>frames</p><iframe src='{uri}'></iframe>", f"<p>frames</p><object data='{uri}'></object>"
    blob = f"void (location = URL.createObjectURL(new Blob([`{embedded}`], {{type: 'text/html'}})))"
    async with connected(front.url, token=ONE) as client:
        said = [await call(client, "browser_navigate", url=f"data:text/html,{quote(frame)}")]
        await call(client, "browser_navigate", url="data:text/html,<p>another")
        said.append(await call(client, "browser_evaluate", function=blob))
    for page in said:
        assert "paragraph: frames" in page
        assert SECRET not in page


async def test_uploads(front: Front) -> None:
    """Pages are given files of the client's own and of --upload-dirs."""
    async with connected(front.url, token=ONE) as client:
        own = {"session_id": json.loads(await call(client, "create_browser_session"))["session_id"]}
        await call(client, "navigate", **own, url=UPLOAD)
        await call(client, "browser_navigate", url=UPLOAD)
        for name in ("secret.html", "missing.html", "shared/way-out.html", "tokens"):
            for path in (str(beside(front, name)), f"../{name}", f"../../{name}"):
                said = await refused(client, "browser_file_upload", paths=[path])
                assert f"{path} is out of reach: clients may use files in {beside(front, '')}" in said
                assert "Use one that an earlier answer named" in said
                assert said in await refused(client, "upload_file", **own, selector="input", path=path)
        shot = await call(client, "browser_take_screenshot", filename="shot.png")
        await call(client, "browser_file_upload", paths=[shot.partition(": ")[2], "shot.png"])
        count = await call(client, "browser_evaluate", function="document.querySelector('input').files.length")
        assert count.endswith("\n2")
        await call(client, "browser_file_upload", paths=[str(beside(front, "shared/open.txt"))])
        assert "for everybody" in await call(client, "browser_evaluate", function=READ)


async def test_pictures(front: Front) -> None:
    async with connected(front.url, token=ONE) as client:
        said = await refused(client, "read_image", path=str(beside(front, "secret.png")))
        assert "secret.png is out of reach" in said
        await call(client, "browser_take_screenshot", filename="seen.png")
        assert "1280x720" in await call(client, "read_image", path="seen.png")


async def test_storage_states(front: Front) -> None:
    async with connected(front.url, token=ONE) as client:
        state = str(beside(front, "secret.json"))
        assert "secret.json is out of reach" in await refused(
            client, "browser_context_create", name="a", storageState=state
        )
        for path in (str(beside(front, "mine.json")), "../mine.json", str(beside(front, "shared/mine.json"))):
            said = await refused(client, "browser_context_save_storage", name="default", path=path)
            assert "leads out of the output folder. Pass a file name without a path." in said
        saved = await client.call_tool("browser_context_save_storage", {"name": "default", "path": "mine.json"})
        [link] = links_of(saved)
        assert json.loads(await contents(client, link)) == {"cookies": [], "origins": []}
        assert "It has 0 cookies" in await call(client, "browser_context_create", name="b", storageState="mine.json")
        beside(front, "shared/odd.json").write_text(
            json.dumps({"origins": [{"origin": "file:///etc", "localStorage": [{"name": "a", "value": "b"}]}]})
        )
        odd = str(beside(front, "shared/odd.json"))
        said = await call(client, "browser_context_create", name="c", storageState=odd)
        assert "Not taken: localStorage of file:///etc" in said


async def test_names_of_what_is_written(front: Front) -> None:
    tools = {
        "browser_take_screenshot": "filename",
        "browser_pdf_save": "filename",
        "browser_export_har": "filename",
    }
    tools |= {"take_screenshot": "path", "export_har": "path"}
    async with connected(front.url, token=ONE) as client:
        own = {"session_id": json.loads(await call(client, "create_browser_session"))["session_id"]}
        for tool, parameter in tools.items():
            for name in ("../written", str(beside(front, "written")), str(beside(front, "shared/written"))):
                arguments = {parameter: name, **(own if parameter == "path" else {})}
                assert "leads out of the output folder" in await refused(client, tool, **arguments)
    assert not list(front.log.parent.rglob("written"))


async def test_baselines(front: Front) -> None:
    """Each token has baselines of its own, and no name leads out of their folder."""
    page = {"url": "data:text/html,<h1>Report</h1>"}
    async with connected(front.url, token=ONE) as one, connected(front.url, token=TWO) as two:
        paths: list[str] = []
        for client in (one, two):
            await call(client, "browser_navigate", **page)
            said = await call(client, "browser_verify_screenshot", name="report")
            assert "There was no baseline" in said
            paths.append(said.partition("from now on: ")[2])
            assert "looks like the baseline" in await call(client, "browser_verify_screenshot", name="report")
        assert {Path(path).parent.parent for path in paths} == {beside(front, "baselines")}
        assert len({Path(path).parent for path in paths}) == 2
        for name in ("../report", str(beside(front, "secret")), f"../{Path(paths[1]).parent.name}/report", ".."):
            said = await refused(one, "browser_verify_screenshot", name=name, update=True)
            assert "is not a name for a baseline" in said
        before = await trio.Path(paths[1]).read_bytes()
        await call(one, "browser_navigate", url="data:text/html,<h1>Another</h1>")
        await refused(one, "browser_verify_screenshot", name="report")
        await call(one, "browser_verify_screenshot", name="report", update=True)
        assert await trio.Path(paths[1]).read_bytes() == before


async def test_each_token_has_its_own(front: Front) -> None:
    async with connected(front.url, token=ONE) as one, connected(front.url, token=TWO, era=MODERN) as two:
        mine = await one.call_tool("browser_take_screenshot", {"filename": "same.png"})
        path, [link] = text_of(mine).rpartition(": ")[2], links_of(mine)
        before = await contents(one, link)
        theirs = await two.call_tool("browser_navigate", {"url": "data:text/html,<h1>Another</h1><input type=file>"})
        own = {"session": re.findall(r"[Ss]ession '?([\w-]+)'?", text_of(theirs))[0]}
        await call(two, "browser_take_screenshot", filename="same.png", **own)
        assert await contents(one, link) == before
        assert "is out of reach" in await refused(two, "browser_file_upload", paths=[path], **own)
