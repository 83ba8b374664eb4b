"""The exam over MCP: the server, its tools, resources and texts."""
