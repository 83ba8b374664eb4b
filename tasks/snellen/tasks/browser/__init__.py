"""What every browser of snellen is: found, pinned, shut in."""
