"""Reports as bytes: JSON, CSV and Markdown. Other layers write them to disk."""
