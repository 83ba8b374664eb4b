"""Agents that act over MCP."""

from serving import agent_of as agent_of
from serving import environment as environment
from serving import serve as serve
from serving import store as store
