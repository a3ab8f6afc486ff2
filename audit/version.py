"""The program's version, part of every signature, and those of the libraries that numbers depend on."""

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """The program and the libraries that numbers depend on."""
    import platform  # noqa: PLC0415 - every command imports this module, and few need this
    from importlib import metadata  # noqa: PLC0415 - every command imports this module, and few need this

    libraries = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"audit": __version__, "Python": platform.python_version(), **libraries}
