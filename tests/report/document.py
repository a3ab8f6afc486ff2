"""An HTML document as a tree, read by the standard library: enough to ask what was really rendered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(
    {"meta", "link", "br", "hr", "img", "input", "col", "base", "source", "embed", "area", "wbr"}
)


@dataclass
class Element:
    """An element with its attributes, and its children in order: elements and text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def __iter__(self) -> Iterator["Element"]:
        """Every element below this one, in document order."""
        waiting = self.children[::-1]
        while waiting:
            child = waiting.pop()
            if isinstance(child, Element):
                yield child
                waiting.extend(child.children[::-1])

    @property
    def text(self) -> str:
        """The text below this element, blanks folded."""
        return " ".join(self._raw().split())

    def _raw(self) -> str:
        return "".join(child if isinstance(child, str) else child._raw() for child in self.children)

    def all(self, *tags: str) -> list["Element"]:
        """The elements of these tags below this one."""
        return [element for element in self if element.tag in tags]

    def one(self, tag: str) -> "Element":
        """The only element of this tag below this one."""
        (found,) = self.all(tag)
        return found

    def where(self, wanted: Callable[["Element"], bool]) -> list["Element"]:
        """The elements below this one that are wanted."""
        return [element for element in self if wanted(element)]

    def by_id(self, name: str) -> "Element":
        """The only element with this id."""
        (found,) = self.where(lambda element: element.attributes.get("id") == name)
        return found


class _Reader(HTMLParser):
    """Builds the tree, and insists that every element is closed where it belongs."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Element:
    """The tree of a document, all of whose elements are closed in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[element.tag for element in reader.open[1:]]}"
    return reader.open[0]


@dataclass(frozen=True)
class Grid:
    """A table as text: heads, rows of cells, and those of built-in baselines apart."""

    heads: list[str]
    rows: list[list[str]]
    computed: list[list[str]]

    def column(self, head: str) -> list[str]:
        """The cells below the only head of this name."""
        assert self.heads.count(head) == 1, self.heads
        return [row[self.heads.index(head)] for row in self.rows]

    def named(self, column: int = 0) -> dict[str, list[str]]:
        """The rows by the text of one column."""
        return {row[column]: row for row in self.rows}


def _texts(row: Element) -> list[str]:
    """The texts of a row, with an empty one for each further column that a cell spans."""
    texts = []
    for cell in row.all("th", "td"):
        texts += [cell.text, *[""] * (int(cell.attributes.get("colspan") or 1) - 1)]
    return texts


def grid(document: Element, anchor: str) -> Grid:
    """The table of a figure, read back."""
    table = document.by_id(anchor).one("table")
    heads = [cell.text for cell in table.one("thead").all("th")]
    rows = [_texts(row) for row in table.one("tbody").all("tr")]
    assert all(len(row) == len(heads) for row in rows)
    computed = [row for row in rows if any(cell.endswith("(computed)") for cell in row)]
    return Grid(heads, [row for row in rows if row not in computed], computed)
