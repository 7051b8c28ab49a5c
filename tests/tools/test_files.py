"""Files of the server's machine, and what only has the name of one."""

import os
import re
import resource
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from bidi_server.resources import uri_of
from tests.support.world import Agent

MakeAgent = Callable[..., Agent]


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """A client that has the tools with files."""
    return make_agent(caps=("dev", "pdf"))


def refused(agent: Agent, tool: str, **arguments: object) -> str:
    answer = agent(tool, **arguments)
    assert answer.is_error
    assert "by a mistake of" not in answer
    return answer.text


def test_the_oldest_files_go(make_agent: MakeAgent, tmp_path: Path) -> None:
    """Only those that the server has written itself count."""
    folder = tmp_path / "shots"
    (folder / "downloads").mkdir(parents=True)
    for name in ("theirs.bin", "replaced.har", "downloads/theirs.bin"):
        (folder / name).write_bytes(bytes(5000))
    agent = make_agent(output_max_size="7kB", caps=("dev",))
    agent.show("<p>Here")
    agent("browser_export_har", filename="replaced.har")
    agent("browser_take_screenshot", filename="first.png", type="png")
    assert (folder / "first.png").exists()
    first, second = (agent.site.url_for(f"/download/{name}?size=3000") for name in ("first.bin", "second.bin"))
    agent("browser_navigate", url=first)
    agent("browser_navigate", url=second)
    assert not (folder / "first.png").exists()
    agent("browser_navigate", url=agent.site.url_for("/download/large.bin?size=9000"))
    assert sorted(str(file.relative_to(folder)) for file in folder.rglob("*.*") if file.is_file()) == [
        "downloads/large.bin",
        "downloads/theirs.bin",
        "replaced.har",
        "theirs.bin",
    ]


def test_a_download_without_room_says_how_much_there_is(make_agent: MakeAgent, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"needs root, to mount a small disk: {mounted.stderr.decode()}")
    try:
        agent = make_agent(output_dir=disk / "out")
        agent.show(
            "<a id=d download=big.bin>Get</a>"
            "<script>d.href = URL.createObjectURL(new Blob([new Uint8Array(5e6)]))</script>"
        )
        answer = agent("browser_click", selector="#d").text
        assert 'Download "big.bin": not saved. The browser canceled it, and the disk of ' in answer
        assert re.search(r" has only [01]\.0 MB free\.", answer)  # Chromium's part of the file may still be there
        assert "--output-dir" in answer
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_what_may_never_end_is_not_read(agent: Agent, tmp_path: Path) -> None:
    agent.show("<input type=file>")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refused(agent, "read_image", path=str(pipe)) == f"{pipe} can't be read: Is a pipe. Check the path."
    said = refused(agent, "browser_context_create", name="x", storageState=str(pipe))
    assert said == f"The storage state {pipe} can't be read: Is a pipe. Check storageState."
    assert f"{pipe} can't be given to a page: Is a pipe. Pass files" in refused(
        agent, "browser_file_upload", paths=[str(pipe)]
    )
    assert "/dev/null can't be read: Is a device." in refused(agent, "read_image", path="/dev/null")
    assert "/dev/null can't be given to a page: Is a device." in refused(
        agent, "browser_file_upload", paths=["/dev/null"]
    )
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert "can't be read: Is a socket." in refused(agent, "read_image", path=str(tmp_path / "socket"))


def test_upload_of_a_folder(agent: Agent, tmp_path: Path) -> None:
    """Firefox 140 and 153 take no folder; Chromium 150 and 156 ignore files where a folder is wanted."""
    folder = tmp_path / "holiday"
    (folder / "more").mkdir(parents=True)
    files = [folder / "one.txt", folder / "more" / "two.txt"]
    for file in files:
        file.write_text("x")
    agent.show(
        "<input type=file webkitdirectory multiple id=folder><input type=file id=file><p></p><script>"
        "folder.onchange = () => document.querySelector('p').textContent = "
        "[...folder.files].map((file) => file.name).sort().join()</script>"
    )
    said = refused(agent, "browser_file_upload", selector="#file", paths=[str(folder)])
    assert said.startswith(f"{folder} is a folder. Pass files: button ")
    answer = agent("browser_file_upload", selector="#folder", paths=[str(folder)])
    names = [str(file) for file in files]
    if answer.is_error:
        assert "This browser can't give a folder to button " in answer
        answer = agent("browser_file_upload", selector="#folder", paths=names)
    else:
        said = refused(agent, "browser_file_upload", selector="#folder", paths=names)
        assert "takes a folder, not files. Pass the path of the folder." in said
    assert "paragraph: one.txt,two.txt" in answer
    if "A file chooser was opened." in agent("browser_click", selector="#folder"):
        assert f"{folder} is a folder. Name the input" in refused(agent, "browser_file_upload", paths=[str(folder)])


def test_what_may_never_end_is_not_written(agent: Agent, tmp_path: Path) -> None:
    agent.show("")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said = refused(agent, "browser_context_save_storage", name="default", path=str(pipe))
    assert said == f"The storage state can't be written to {pipe}: Is a pipe. Pass another path."


def test_files_too_large_are_no_resources(agent: Agent) -> None:
    agent.show("")
    agent("browser_take_screenshot", filename="large.png")
    path = agent.config.output_dir / "large.png"
    with path.open("r+b") as large:
        large.truncate(60_000_000)
    with pytest.raises(MCPError) as refusal:
        agent.world.run(lambda: agent.client.read_resource(uri_of("large.png")))
    assert str(refusal.value) == f"{path} can't be read as a resource: It has more than 50000000 bytes."


def test_files_too_large_are_not_read(agent: Agent, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(60_000_000)
    assert "It has more than 50000000 bytes." in refused(agent, "read_image", path=str(tmp_path / "large"))
    said = refused(agent, "browser_context_create", name="x", storageState=str(tmp_path / "large"))
    assert "It has more than 50000000 bytes." in said


@pytest.mark.parametrize("name", ["a\0b", "~nobody-of-this-name/a"])
def test_paths_that_are_none(agent: Agent, name: str) -> None:
    agent.show("<input type=file>")
    assert refused(agent, "read_image", path=name).startswith("path: ")
    assert refused(agent, "browser_context_create", name="x", storageState=name).startswith("storageState: ")
    assert refused(agent, "browser_context_save_storage", name="default", path=name).startswith("path: ")
    assert refused(agent, "browser_file_upload", paths=[name]).startswith("paths.0: ")


@pytest.mark.parametrize("tool", ["browser_take_screenshot", "browser_pdf_save", "browser_export_har"])
def test_file_names_that_are_none(agent: Agent, tool: str) -> None:
    agent.show("")
    assert (
        refused(agent, tool, filename="a\0b")
        == "'a\\x00b' is not a file name: it contains a NUL character. Leave it out."
    )
    long = refused(agent, tool, filename="x" * 5000)
    assert long.endswith("…: File name too long. Pass another name, or check --output-dir.")
    assert len(long) < 500


def test_paths_too_long(agent: Agent) -> None:
    agent.show("<input type=file>")
    for tool, arguments in (
        ("browser_file_upload", {"paths": ["x" * 5000]}),
        ("read_image", {"path": "x" * 5000}),
        ("browser_context_create", {"name": "x", "storageState": "x" * 5000}),
        ("browser_context_save_storage", {"name": "default", "path": "x" * 5000}),
    ):
        said = refused(agent, tool, **arguments)
        assert "File name too long. " in said
        assert len(said) < 500


def test_a_folder_that_can_not_be_there(make_agent: MakeAgent, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    agent = make_agent(output_dir=tmp_path / "file" / "shots")
    agent.show("")
    said = refused(agent, "browser_take_screenshot", filename="a.png")
    target = tmp_path / "file" / "shots" / "a.png"
    assert said == (
        f"The file can't be written to {target}: Not a directory. Pass another name, or check --output-dir."
    )


def test_a_write_that_fails_changes_nothing(agent: Agent, tmp_path: Path) -> None:
    agent.show("<h1>Much to see</h1>")
    shots = tmp_path / "shots"
    shots.mkdir(exist_ok=True)
    (shots / "old.png").write_bytes(b"what was there before")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, unlimited[1]))
    try:
        said = [refused(agent, "browser_take_screenshot", filename=name) for name in ("a.png", "old.png")]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert "a.png: File too large. Pass another" in said[0]
    assert [path.name for path in shots.iterdir()] == ["old.png"]
    assert (shots / "old.png").read_bytes() == b"what was there before"


def test_a_link_to_a_file_stays_one(agent: Agent, tmp_path: Path) -> None:
    agent.show("<h1>Much to see</h1>")
    shots = tmp_path / "shots"
    shots.mkdir(exist_ok=True)
    (shots / "here.png").symlink_to("there.png")
    agent("browser_take_screenshot", filename="here.png")
    assert (shots / "here.png").is_symlink()
    assert (shots / "there.png").stat().st_size > 100


OPENERS = {
    "one input": "i.click()",
    "a new input each time": "const n = document.createElement('input'); n.type = 'file'; n.onchange = tell; n.click()",
}


@pytest.mark.parametrize("opener", OPENERS)
def test_each_file_chooser_of_a_page_is_told(agent: Agent, tmp_path: Path, opener: str) -> None:
    """In Firefox the chooser that stays open keeps its input from opening the next one."""
    page = agent.show(
        f'<input id=i type=file hidden><button onclick="{OPENERS[opener]}">Choose</button><p id=out></p>'
        "<script>function tell() { out.textContent = `has ${this.files[0].name}`; } i.onchange = tell</script>"
    )
    if "file choosers are not reported" in page:
        pytest.skip("this version reports no file choosers")
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
        assert "A file chooser was opened." in agent("browser_click", selector="button")
        assert f"has {name}" in agent("browser_file_upload", paths=[str(tmp_path / name)])
