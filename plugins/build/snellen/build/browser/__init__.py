"""A browser that renders a page reproducibly, and can load only files of the page's folder."""
