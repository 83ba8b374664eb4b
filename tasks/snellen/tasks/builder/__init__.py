"""Building items from pages: capture in a browser once, then ask about what was kept.

    exam, build           a pack of many pages; the work, page by page, which can be resumed
    capture, clicks       one page into a snapshot; writers: its items, a folder a benchmark
    questions             what can be asked of a page, with its exact answer: once for all writers
    perturb               changes of the live page that keep what they promise
    snapshots, items      what is kept of a page and of its items, on disk
    screen, browser       the elements of a page; the browser that measures them
    charts, sites         generated charts and sites, from a seed

What a room imports stands below it: the contract is "inside the builder" in pyproject.toml.
"""
