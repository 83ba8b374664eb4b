"""The network face: MCP tools, REST routes, web pages and the attempt store."""
