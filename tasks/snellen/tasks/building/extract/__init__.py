"""From a page, a view hierarchy or a dump to the one model of a screen."""
