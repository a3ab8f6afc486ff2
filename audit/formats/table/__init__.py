"""Rows and columns of any file: headers, samples, layouts that are possible, and the issues of single rows."""
