"""Pages with well-known editors, of the packages as npm has them.

The packages are fetched and bundled once, into a cache folder. A page's function ``held`` returns the editor's text.
"""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from fixtures.site import Site
from tests.support.node import FETCH_SECONDS

PACKAGES = [
    "esbuild@0.28.2", "codemirror@6.0.2", "@codemirror/lang-python@6.2.1", "codemirror5@npm:codemirror@5.65.21",
    "monaco-editor@0.57.0", "ace-builds@1.45.2", "prosemirror-example-setup@1.2.3", "prosemirror-model@1.25.13",
    "prosemirror-schema-basic@1.2.5", "prosemirror-state@1.4.4", "prosemirror-view@1.42.9", "@tiptap/core@3.34.0",
    "@tiptap/pm@3.34.0", "@tiptap/starter-kit@3.34.0", "draft-js@0.11.7", "react@18.3.1", "react-dom@18.3.1",
    "lexical@0.52.0", "@lexical/history@0.52.0", "@lexical/rich-text@0.52.0", "slate@0.146.0", "slate-dom@0.146.1",
    "slate-history@0.115.0", "slate-react@0.146.1", "quill@2.0.3", "ckeditor5@48.5.2", "tinymce@8.9.2",
]  # fmt: skip

SOURCES = sorted([*Path(__file__).parent.glob("*.js"), *Path(__file__).parent.glob("*.jsx")])
EDITORS = [source.stem for source in SOURCES]


def bundled(config: pytest.Config) -> Path:
    """Return the folder with a bundle of each editor. Skip the test where npm can't get the packages."""
    if not (npm := shutil.which("npm")):
        pytest.skip("the editors' packages come from npm, and there is no npm")
    key = hashlib.sha256(repr([PACKAGES, *(source.read_text() for source in SOURCES)]).encode()).hexdigest()[:12]
    folder = config.cache.mkdir(f"editors-{key}")
    with (folder / "lock").open("w") as lock:
        # Other workers of the run wait for the first.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "bundles").exists():
            try:
                _bundle(npm, folder)
            except subprocess.SubprocessError as error:
                pytest.skip(f"npm can't get the editors' packages: {error}")
    return folder / "bundles"


def _bundle(npm: str, folder: Path) -> None:
    (folder / "package.json").write_text('{"private": true}')
    options = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    install = [npm, "install", *options, "--prefix", str(folder), *PACKAGES]
    subprocess.run(install, cwd=folder, capture_output=True, check=True, timeout=FETCH_SECONDS)
    for source in SOURCES:
        shutil.copy(source, folder)
    bundle = [str(folder / "node_modules" / ".bin" / "esbuild"), *(source.name for source in SOURCES)]
    define = ["--define:global=window", '--define:process.env.NODE_ENV="production"']
    loaders = ["--loader:.ttf=dataurl", "--loader:.svg=dataurl"]
    arguments = ["--bundle", "--minify", "--log-level=error", *define, *loaders, f"--outdir={folder / 'new'}"]
    subprocess.run([*bundle, *arguments], cwd=folder, capture_output=True, check=True, timeout=FETCH_SECONDS)
    shutil.rmtree(folder / "node_modules")
    (folder / "new").rename(folder / "bundles")


def serve(site: Site, bundles: Path, name: str) -> str:
    """Serve the page of an editor and return its path."""
    styles = bundles / f"{name}.css"
    site.serve((bundles / f"{name}.js").read_bytes(), path=f"/editors/{name}.js", content_type="text/javascript")
    site.serve(styles.read_bytes() if styles.exists() else "", path=f"/editors/{name}.css", content_type="text/css")
    site.serve(
        f"<!doctype html><meta charset=utf-8><title>{name}</title><link rel=icon href=data:,>"
        f"<link rel=stylesheet href=/editors/{name}.css><body><script src=/editors/{name}.js></script>",
        path=f"/editors/{name}",
    )
    return f"/editors/{name}"
