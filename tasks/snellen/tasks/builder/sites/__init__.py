"""The page generator: realistic, unpublished sites from a seed."""

from snellen.tasks.builder.sites.sites import (
    Site,
    SitePage,
    generate_site,
    generate_sites,
    write_sites,
)

__all__ = ["Site", "SitePage", "generate_site", "generate_sites", "write_sites"]
