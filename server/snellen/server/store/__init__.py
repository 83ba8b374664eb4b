"""The store: attempts, answers, leases, traces and tokens, in a database."""
