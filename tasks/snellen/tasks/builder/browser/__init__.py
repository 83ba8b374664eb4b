"""A browser that shows a page the same way each time, and reaches nothing but the page's folder."""
