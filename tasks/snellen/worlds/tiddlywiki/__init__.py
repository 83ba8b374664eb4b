"""TiddlyWiki: a real application, an HTML file that is built from its npm package."""
