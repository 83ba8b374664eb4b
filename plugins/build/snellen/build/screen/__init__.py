"""From a web page to the model of a screen."""
