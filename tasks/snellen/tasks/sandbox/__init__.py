"""Candidate code, run in a sandbox of its own or not at all.

A model's program runs as a separate process in new Linux namespaces (user, mount, pid, network,
ipc, uts), behind resource limits and a system-call filter. It sees the interpreter and its
standard library read-only, one small writable folder, no network, no environment, no input; and
it is stopped by the clock, with everything it started. Where one of these can't be had,
`ExecutionError` says which, and nothing runs: there is no weaker mode. bubblewrap would do the same
with less code here, but it is a system package that pip can't install, so the sandbox is our own.
"""

from snellen.tasks.sandbox.limits import DEFAULT_LIMITS, Limits
from snellen.tasks.sandbox.run import SandboxExecutor, check_support, run_code

__all__ = ["DEFAULT_LIMITS", "Limits", "SandboxExecutor", "check_support", "run_code"]
