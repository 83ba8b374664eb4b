"""TiddlyWiki: a real application, one file of HTML that is made of its npm package."""
