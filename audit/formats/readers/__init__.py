"""The file formats, one module each: bytes in, rows with ids and labels out."""
