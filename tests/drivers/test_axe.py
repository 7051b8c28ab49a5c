"""axe-core in our cache, from a package that a program in npm's place brings."""

import io
import sys
import tarfile
from pathlib import Path

import pytest

from drivers import InstallError, axe
from drivers.axe import axe_file, install_axe, read_axe
from tests.support.machines import program

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")


def ignore(_text: str, _fraction: float | None) -> None:
    """Receive a step."""


def npm(folder: Path, source: bytes) -> None:
    """Put a program in npm's place, whose package has this source."""
    package = folder / "package.tgz"
    with tarfile.open(package, "w:gz") as archive:
        for name, data in (("axe.min.js", source), ("LICENSE", b"MPL")):
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    program(folder / "npm", f"#!/bin/sh\n[ \"$1 $2\" = 'pack axe-core@{axe.VERSION}' ] && /bin/cp {package} .\n")


@UNIX
async def test_it_is_installed_once(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"const axe = 1;"
    monkeypatch.setattr(axe, "SHA256", "09b59e5b4b4b5ad1d0a9d6a9a3bbd5a2b1a7ff5b8a3a4e5a6d6b5e8f2d1e0f3c")
    npm(bare_machine, source)
    with pytest.raises(InstallError, match="is not the original"):
        await install_axe(ignore)
    assert read_axe() is None
    assert not axe_file().exists()
    monkeypatch.setattr(axe, "SHA256", axe.hashlib.sha256(source).hexdigest())
    assert await install_axe(ignore) == axe_file()
    assert read_axe() == source.decode()
    steps: list[str] = []
    await install_axe(lambda text, _: steps.append(text))
    assert steps == [f"Already there: {axe_file()} ({axe.VERSION})"]


@UNIX
async def test_a_file_that_was_changed_is_not_used(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"const axe = 1;"
    monkeypatch.setattr(axe, "SHA256", axe.hashlib.sha256(source).hexdigest())
    npm(bare_machine, source)
    await install_axe(ignore)
    axe_file().write_bytes(b"const axe = 2; // changed")
    assert read_axe() is None
    await install_axe(ignore)
    assert read_axe() == source.decode()


@UNIX
async def test_the_error_says_what_npm_said(bare_machine: Path) -> None:
    with pytest.raises(InstallError, match="there is no npm on the PATH") as caught:
        await install_axe(ignore)
    assert str(axe_file()) in caught.value.advice
    program(bare_machine / "npm", "#!/bin/sh\necho 'npm error code E404'\nexit 1\n")
    with pytest.raises(InstallError, match="npm: npm error code E404"):
        await install_axe(ignore)
    program(bare_machine / "npm", "#!/bin/sh\n")
    with pytest.raises(InstallError, match=r"axe\.min\.js"):
        await install_axe(ignore)
