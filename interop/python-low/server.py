"""A server with a tool for every outcome, on the low-level Server of the Python SDK 1.x.

python server.py          over stdio
python server.py PORT     over Streamable HTTP, without sessions, at /mcp
"""

import contextlib
import os
import sys

import anyio
import mcp.types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from starlette.applications import Starlette
from starlette.routing import Mount

from tools import TOOLS

server = Server("outcomes", version="1.0.0")


@server.list_tools()
async def list_tools():
    return [
        types.Tool(name=name, description=f"The outcome {name}.", inputSchema=schema, outputSchema=output)
        for name, (schema, output) in TOOLS.items()
    ]


def says(text):
    return [types.TextContent(type="text", text=text)]


@server.call_tool()
async def call_tool(name, arguments):
    match name:
        case "text":
            return says("The shelf holds 12 books.")
        case "structured":
            return {"books": 12}
        case "empty_list":
            return {"items": []}
        case "blank":
            return says("")
        case "take":
            return says(f"{arguments['mode']} {arguments['count']}")
        case "refuse":
            return types.CallToolResult(content=says("The shelf is locked."), isError=True)
        case "named":
            meta = {"umpire/errorType": "ShelfLocked"}
            return types.CallToolResult(content=says("The shelf is locked."), isError=True, _meta=meta)
        case "refuse_code":
            raise McpError(types.ErrorData(code=-32011, message="closed on Mondays"))
        case "throw":
            raise RuntimeError("the ladder broke")
        case "bug":
            shelf = None
            return says(shelf.title)
        case "no_result":
            return None
        case "bad_output":
            return {"books": "many"}
        case "slow":
            await anyio.sleep(arguments["ms"] / 1000)
            return says("done at last")
        case "large":
            return says("book " * (arguments["kib"] * 1024 // 5))
        case "silent":
            await anyio.sleep_forever()
        case "exit":
            os._exit(3)
    raise ValueError(f"Unknown tool: {name}")


async def over_stdio():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def over_http(port):
    manager = StreamableHTTPSessionManager(app=server, stateless=True)

    @contextlib.asynccontextmanager
    async def lifespan(_):
        async with manager.run():
            yield

    app = Starlette(routes=[Mount("/", app=manager.handle_request)], lifespan=lifespan)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if len(sys.argv) > 1:
    over_http(int(sys.argv[1]))
else:
    anyio.run(over_stdio)
