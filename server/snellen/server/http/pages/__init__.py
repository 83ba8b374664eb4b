"""The challenge's pages: rendered here, without JavaScript."""
