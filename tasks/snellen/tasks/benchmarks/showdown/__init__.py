"""ShowDown clicks: point at what a person clicked in an application of macOS."""
