"""MiniWoB++: short tasks on 130 pages, each of which grades itself."""
