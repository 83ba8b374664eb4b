"""An office of applications that snellen draws itself: one state, many doors."""
