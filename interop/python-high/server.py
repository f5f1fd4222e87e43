"""A server with a tool for every outcome, on FastMCP of the Python SDK 1.x.

python server.py          over stdio
python server.py PORT     over Streamable HTTP, with sessions, at /mcp
"""

import sys

from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, ErrorData, TextContent

import outcomes

port = int(sys.argv[1]) if len(sys.argv) > 1 else None
server = FastMCP("outcomes", port=port or 8000)
outcomes.register(lambda function: server.tool()(function))


@server.tool()
def refuse() -> str:
    raise ToolError("The shelf is locked.")


@server.tool()
def named() -> CallToolResult:
    said = [TextContent(type="text", text="The shelf is locked.")]
    return CallToolResult(content=said, isError=True, _meta={"umpire/errorType": "ShelfLocked"})


@server.tool()
def refuse_code() -> str:
    raise McpError(ErrorData(code=-32011, message="closed on Mondays"))


server.run(transport="streamable-http" if port else "stdio")
