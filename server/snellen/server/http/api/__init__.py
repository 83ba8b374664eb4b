"""The challenge over REST, under `/v1`: a thin layer over `server.challenge`."""
