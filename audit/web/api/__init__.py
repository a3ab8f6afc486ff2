"""The HTTP interface: everything that the pages do, for programs."""
