"""Hubs of this machine, which files are fetched from."""

from hub import empty_home as empty_home
from hub import site as site
