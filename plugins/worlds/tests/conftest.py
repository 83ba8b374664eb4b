"""One browser for a module's tests."""

from stage_browser import browser as browser
