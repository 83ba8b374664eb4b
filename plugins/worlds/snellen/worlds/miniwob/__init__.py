"""MiniWoB++ (Liu et al., 2018): 130 short tasks that their pages grade.

The pages come from the package `miniwob`. It is never imported, since it needs Selenium.
"""
