"""MiniWoB++ (Liu et al., 2018): 130 short tasks that the page itself grades.

The pages are those of the package `miniwob`, of which nothing is imported: it would need Selenium.
"""
