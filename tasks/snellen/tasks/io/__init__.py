"""Reading files into plain rows, for every benchmark.

Nothing here repairs a reference. What can't be read stops with a DataError that names the file,
the row and the field.
"""
