"""Attacks on files of the machine by a client over HTTP, which a hostile page has talked into them."""

import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

from bidi_server.attacks.findings import REPORT, Finding
from bidi_server.attacks.front import Agent, Call, Front
from bidi_server.config import OPEN

PRIVATE_TEXT = "text-of-a-private-file"
"""Content of a file that nobody may read."""

THEIRS = "written by another program"
"""Content of a file that nobody may replace."""

URLS = (
    *("{uri}", "{one_slash}", "{mixed_case}", " {uri}", "view-source:{uri}", "jar:{uri}!/", "feed:{uri}"),
    *("filesystem:{uri}", "about:reader?url={quoted}", "javascript:location='{uri}'", "about:config", "about:support"),
    *("resource://gre/", "chrome://version", "devtools://devtools/bundled/inspector.html"),
)
"""URLs of a file and of the browser's own pages."""

READ = (
    *("{private}", "../private.html", "../../private.html", "./../private.html", "x/../../private.html"),
    *("link.html", "folder-link/private.html", "/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/self/mem"),
    *("/dev/zero", "/dev/stdin", "/dev/null", "device", "pipe", "~/.bashrc", "~/.ssh/id_rsa", "/"),
)
"""Paths of files that may not be given to a page. Relative ones begin in the output folder."""

NO_FILES = ("pipe",)
"""Paths that a client may name, but that lead to no file."""

OUT_OF_REACH = re.compile("is out of reach|leads out of the output folder")

READING: dict[str, Call] = {
    "upload": ("browser_file_upload", {"paths": ["PATH"], "selector": "input"}),
    "route": ("browser_route", {"pattern": "**/routed*", "file": "PATH"}),
    "storage": ("browser_set_storage_state", {"filename": "PATH"}),
}
"""Tools that read a file."""

WRITTEN = ("{written}", "../written.png", "x/../../written.png", "folder-link/written.png", "{picture}")
"""Paths that may not be written."""

WRITING: dict[str, Call] = {
    "screenshot": ("browser_take_screenshot", {"filename": "PATH"}),
    "storage": ("browser_storage_state", {"filename": "PATH"}),
    "HAR": ("browser_export_har", {"filename": "PATH"}),
}
"""Tools that write a file."""

REPLACED = ("theirs.png", "link.html", "folder-link", "/dev/null")
"""Files and links that tools may not replace."""


def make_files(folder: Path) -> dict[str, str]:
    """Make the files in the folder, and return the values for the placeholders of the paths."""
    output, private = folder / "output", folder / "private.html"
    output.mkdir(exist_ok=True)
    private.write_text(f"<title>{PRIVATE_TEXT}</title><p>{PRIVATE_TEXT}</p>", "utf-8")
    (folder / "private.png").write_text(THEIRS, "utf-8")
    (output / "theirs.png").write_text(THEIRS, "utf-8")
    if sys.platform != "win32" and not (output / "pipe").exists():
        (output / "link.html").symlink_to(private)
        (output / "folder-link").symlink_to(folder)
        (output / "device").symlink_to("/dev/zero")
        os.mkfifo(output / "pipe")
    uri = private.as_uri()
    return {
        "private": str(private),
        "picture": str(folder / "private.png"),
        "written": str(folder / "written.png"),
        "uri": uri,
        "one_slash": uri.replace("///", "/"),
        "mixed_case": uri.replace("file", "FiLe"),
        "quoted": quote(uri),
    }


async def run(front: Front) -> list[Finding]:
    """Read and write files that are out of reach."""
    values = make_files(front.folder)
    egress = front.config.egress or (OPEN,)
    found: list[Finding] = []
    async with front.connected(transport="http", egress=egress, upload_dirs=()) as agent:
        await agent.open(front.site.page("<input type=file multiple>"))
        for template in READ:
            for name, call in READING.items():
                found.append(await _refused(agent, f"{name} {template}", call, template.format(**values)))
        for template in WRITTEN:
            for name, call in WRITING.items():
                found.append(await _refused(agent, f"{name} to {template}", call, template.format(**values)))
        found += [await _replaced(agent, front, name) for name in REPLACED]
        for template in URLS:
            found.append(await _opened(agent, template, template.format(**values)))
    return [*found, _unchanged(front.folder)]


async def _refused(agent: Agent, case: str, call: Call, path: str) -> Finding:
    tool, arguments = call
    given = {name: _filled(value, path) for name, value in arguments.items()}
    answer = await agent.call(tool, **given)
    if answer.is_error and PRIVATE_TEXT not in answer.text:
        is_refused = path in NO_FILES or OUT_OF_REACH.search(answer.text)
        return Finding(case, "held" if is_refused else "unsent", answer.text)
    return Finding(case, "broken", f"A client over HTTP may use a file out of reach: {case}.", REPORT)


def _filled(value: object, path: str) -> object:
    return path if value == "PATH" else [path] if value == ["PATH"] else value


async def _replaced(agent: Agent, front: Front, name: str) -> Finding:
    case = f"replacing {name}"
    answer = await agent.call("browser_take_screenshot", filename=name)
    if answer.is_error:
        return Finding(case, "held")
    if front.config.overwrite:
        text = f"Tools replace files of other programs: {name}."
        return Finding(case, "unprotected", text, "--overwrite lets them. Leave it out.")
    return Finding(case, "broken", f"A tool replaced a file of another program: {name}.", REPORT)


async def _opened(agent: Agent, template: str, url: str) -> Finding:
    answers = [await agent.call("browser_navigate", url=url), await agent.call("browser_tabs", action="list")]
    is_shown = any(PRIVATE_TEXT in answer.text for answer in answers)
    if answers[0].is_error and not is_shown:
        return Finding(template.strip(), "held")
    return Finding(template.strip(), "broken", f"A page of the machine was opened: {template}.", REPORT)


def _unchanged(folder: Path) -> Finding:
    """Return whether the files outside of the output folder are what they were."""
    case = "files outside of the output folder"
    private = (folder / "private.html").read_text("utf-8")
    theirs = (folder / "private.png").read_text("utf-8", "replace")
    if PRIVATE_TEXT in private and theirs == THEIRS and not (folder / "written.png").exists():
        return Finding(case, "held")
    return Finding(case, "broken", "A client over HTTP wrote outside of the output folder.", REPORT)
