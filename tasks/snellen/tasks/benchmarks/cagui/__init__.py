"""CAGUI: point at elements of Chinese Android applications, read them, or act in them."""
