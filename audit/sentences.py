"""The mark of a statistical sentence, which stands beside the code that permits it."""


def say(template: str, **values: object) -> str:
    """A statistical sentence with its names and numbers in place of what stands in braces.

    Its text is a literal at the call, or a constant. Nobody words a statistical claim in another way, so that page,
    terminal and LaTeX agree: a test finds every such sentence of theirs among these. What permits them is told in
    docs/uncertainty.md.

    >>> say("{leader} alone", leader="A")
    'A alone'
    """
    if values:
        return template.format(**values)
    return template
