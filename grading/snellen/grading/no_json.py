"""The exceptions of reading JSON. Apart from `errors`, which needs the standard library alone."""

import msgspec

NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises on bytes that are no JSON, JSON of another shape, or JSON nested too deep."""
