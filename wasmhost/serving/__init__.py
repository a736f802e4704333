"""How programs outside of this process reach sessions. ``pool`` is what MCP and the server have in common."""
