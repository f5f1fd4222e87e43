"""A server with a tool for every outcome, on jlowin's FastMCP.

python server.py          over stdio
python server.py PORT     over Streamable HTTP at /mcp
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python-high"))

import outcomes
from fastmcp import FastMCP
from fastmcp.exceptions import McpError, ToolError
from fastmcp.tools import ToolResult

server = FastMCP("outcomes", version="1.0.0")
outcomes.register(server.tool)


@server.tool
def disabled() -> str:
    return "never"


server.disable(names={"disabled"})


@server.tool
def refuse() -> str:
    raise ToolError("The shelf is locked.")


@server.tool
def named():
    return ToolResult(content="The shelf is locked.", meta={"umpire/errorType": "ShelfLocked"}, is_error=True)


@server.tool
def refuse_code() -> str:
    raise McpError(code=-32011, message="closed on Mondays")


if len(sys.argv) > 1:
    server.run(transport="http", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
