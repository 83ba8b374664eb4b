"""The pictures that an agent or an audit reads, and OCR."""
