"""Reports as bytes: JSON, CSV and Markdown; who writes them to disk is another floor's affair."""
