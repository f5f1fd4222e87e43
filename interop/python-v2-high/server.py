"""A server with a tool for every outcome, on MCPServer of the Python SDK 2.x.

python server.py          over stdio
python server.py PORT     over Streamable HTTP at /mcp
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python-high"))

import outcomes
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ElicitRequest, ElicitRequestFormParams, InputRequiredResult, TextContent

server = MCPServer("outcomes", version="1.0.0")
outcomes.register(lambda function: server.tool()(function))


@server.tool()
def refuse() -> str:
    raise ToolError("The shelf is locked.")


@server.tool()
def named() -> CallToolResult:
    said = [TextContent(type="text", text="The shelf is locked.")]
    return CallToolResult(content=said, is_error=True, _meta={"umpire/errorType": "ShelfLocked"})


@server.tool()
def refuse_code() -> str:
    raise MCPError(-32011, "closed on Mondays")


@server.tool()
def ask(ctx: Context) -> str | InputRequiredResult:
    if ctx.input_responses:
        return "lent"
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    params = ElicitRequestFormParams(message="Lend the last book?", requested_schema=schema)
    return InputRequiredResult(input_requests={"sure": ElicitRequest(params=params)})


if len(sys.argv) > 1:
    server.run(transport="streamable-http", port=int(sys.argv[1]))
else:
    server.run()
