"""The server: MCP tools, REST routes, web pages and the store of attempts."""
