"""What MkDocs needs beyond the Markdown of this folder, so that the same files read well on GitHub and as a site.

A file outside of this folder that a page links to becomes a page of its own, the notebook becomes one with its outputs,
and what GitHub and MkDocs write differently is written as MkDocs has it: formulas, titles of code blocks, sessions.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.writers.html import mathml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS = "docs/"
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def on_files(files: "Files", *, config: "MkDocsConfig") -> "Files":
    """Add a page for each file outside of the folder that a page links to, and one for each notebook."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only a site needs it

    for source in _reached([DOCS + file.src_uri for file in files.documentation_pages()]):
        files.append(
            File.generated(
                config, _page_of(source), content=(ROOT / source).read_text(encoding="utf-8")
            )
        )
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(notebook)
        files.append(
            File.generated(
                config, _page_of(DOCS + notebook.src_uri), content=notebook.content_string
            )
        )
    return files


def on_page_markdown(markdown: str, *, page: "Page", **_: object) -> str:
    """A page as MkDocs has it."""
    source = _source_of(page.file.src_uri)
    if source.endswith(".ipynb"):
        markdown = notebook_page(json.loads(markdown))
    elif not source.endswith(".md"):
        return f"# {source}\n\n```{_language(source)}\n{markdown}\n```\n"
    return for_site(markdown, source)


def for_site(markdown: str, source: str) -> str:
    r"""The Markdown of a file of the checkout, with links, code blocks and formulas as MkDocs has them.

    Examples
    --------
    >>> for_site("[gap](../audit/metrics/kernels.py), [flags](flags.md#rare-classes)", "docs/uncertainty.md")
    '[gap](audit/metrics/kernels.py.md), [flags](flags.md#rare-classes)'
    >>> for_site("```toml task.toml\n[gold]\n```", "docs/recipes.md")
    '```toml title="task.toml"\n[gold]\n```'
    """
    parts, end = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_prose(markdown[end : fence.start()], source), _code(fence.group())]
        end = fence.end()
    return "".join([*parts, _prose(markdown[end:], source)])


def notebook_page(notebook: dict[str, Any]) -> str:
    """A notebook as Markdown: texts, cells, and below each what it shows."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text
        return
    yield f"```python\n{text}\n```"
    yield from map(_output, cell["outputs"])


def _output(output: dict[str, Any]) -> str:
    """What a cell printed, showed or raised: as a drawing or a table where it has one, else as text."""
    data = output.get("data", {})
    for form in ("image/svg+xml", "text/html"):
        if form in data:
            shown = re.sub(
                r"<style.*?</style>|\n\s*(?=\n)", "", "".join(data[form]), flags=re.DOTALL
            )
            return f'<div class="output">{" ".join(shown.split())}</div>'
    lines = data.get("text/plain") or output.get("text") or [*output["traceback"]]
    return "```text\n" + "".join(lines).rstrip("\n") + "\n```"


def _reached(sources: list[str]) -> list[str]:
    """The files outside of the docs that these lead to, and those that they lead to in turn."""
    found: list[str] = []
    for source in (waiting := list(sources)):
        if not source.endswith(".md"):
            continue
        prose = _FENCE.sub("", (ROOT / source).read_text(encoding="utf-8"))
        for _, link, _ in _LINK.findall(prose):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
            if not target.startswith(DOCS) and target not in found and (ROOT / target).is_file():
                found.append(target)
                waiting.append(target)
    return found


def _prose(markdown: str, source: str) -> str:
    formulas = re.sub(
        r"^\$\$ (.+) \$\$$", lambda found: mathml(found[1]), markdown, flags=re.MULTILINE
    )
    return _LINK.sub(partial(_link, source=source), formulas)


def _link(found: re.Match[str], source: str) -> str:
    """A link between two files of the checkout as one between their pages; only its text where it leads to a folder."""
    text, link, anchor = found.groups()
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if (ROOT / target).is_dir():
        return text
    page = posixpath.relpath(_page_of(target), posixpath.dirname(_page_of(source)) or ".")
    return f"[{text}]({page}{anchor or ''})"


def _page_of(source: str) -> str:
    """Where the site has a file of the checkout."""
    if source.endswith(".ipynb"):
        return source.removeprefix(DOCS).removesuffix(".ipynb") + ".md"
    is_page = source.startswith(DOCS) or source.endswith(".md")
    return source.removeprefix(DOCS) if is_page else f"{source}.md"


def _source_of(page: str) -> str:
    """The file of the checkout that a page is made of."""
    candidates = (
        DOCS + page,
        DOCS + page.removesuffix(".md") + ".ipynb",
        page,
        page.removesuffix(".md"),
    )
    return next(each for each in candidates if (ROOT / each).is_file())


def _code(block: str) -> str:
    """A fenced block with its file's name as its title, and a Python session as one."""
    head, body = block.split("\n", maxsplit=1)
    language, _, title = head.removeprefix("```").partition(" ")
    if language == "python" and body.startswith(">>>"):
        language, body = "pycon", body.replace("<BLANKLINE>\n", "\n").replace("\n\n```", "\n```")
    return f"```{language}" + (f' title="{escape(title)}"' if title else "") + f"\n{body}"


def _language(source: str) -> str:
    return {".py": "python", ".toml": "toml", ".sh": "sh"}.get(Path(source).suffix, "text")
