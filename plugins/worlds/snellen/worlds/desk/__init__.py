"""The desk: ten office applications of snellen's own, with one shared state."""
