"""Building items from pages: a page is captured once in a browser; its snapshot gives items.

    exam                  a pack from many pages
    build                 the work page by page, which can be resumed
    capture, clicks       one page into a snapshot
    writers, questions    items of a page, a folder for each benchmark; questions with exact answers
    perturb               changes of the live page whose effect is checked
    snapshots, items      the stored form of a page and of its items
    screen, browser       the elements of a page; the browser that measures them
    charts, sites         generated charts and sites, from a seed

Modules import only what is listed below them: the contract "inside the builder" in pyproject.toml.
"""
