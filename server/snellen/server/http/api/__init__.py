"""The challenge over REST, under `/v1`: a thin face of `server.challenge`."""
