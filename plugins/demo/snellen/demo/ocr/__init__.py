"""OCR, and the images that an agent or an audit reads."""
