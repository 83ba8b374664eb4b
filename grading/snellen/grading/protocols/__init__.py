"""Named, versioned ways of scoring: the published ones exactly, and robust ones beside them."""
