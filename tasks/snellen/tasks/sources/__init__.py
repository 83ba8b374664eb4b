"""Published formats: from files as they were released to plain columns.

Nothing here repairs a reference. What can't be read stops with a DataError that names the file,
the row and the field.
"""
