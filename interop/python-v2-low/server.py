"""A server with a tool for every outcome, on the low-level Server of the Python SDK 2.x.

python server.py          over stdio
python server.py PORT     over Streamable HTTP at /mcp
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python-low"))

import anyio
import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tools import NOTHING, TOOLS


async def list_tools(ctx, params):
    tools = [
        types.Tool(name=name, description=f"The outcome {name}.", input_schema=schema, output_schema=output)
        for name, (schema, output) in (TOOLS | {"ask": (NOTHING, None)}).items()
    ]
    return types.ListToolsResult(tools=tools)


def says(text, **more):
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], **more)


def question():
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    params = types.ElicitRequestFormParams(message="Lend the last book?", requested_schema=schema)
    return types.InputRequiredResult(input_requests={"sure": types.ElicitRequest(params=params)})


async def call_tool(ctx, params):
    arguments = params.arguments or {}
    match params.name:
        case "text":
            return says("The shelf holds 12 books.")
        case "structured":
            return types.CallToolResult(content=[], structured_content={"books": 12})
        case "empty_list":
            return says('{"items": []}', structured_content={"items": []})
        case "blank":
            return says("")
        case "take":
            return says(f"{arguments['mode']} {arguments['count']}")
        case "refuse":
            return says("The shelf is locked.", is_error=True)
        case "named":
            return says("The shelf is locked.", is_error=True, _meta={"umpire/errorType": "ShelfLocked"})
        case "refuse_code":
            raise MCPError(-32011, "closed on Mondays")
        case "throw":
            raise RuntimeError("the ladder broke")
        case "bug":
            shelf = None
            return says(shelf.title)
        case "no_result":
            return None
        case "bad_output":
            return says("", structured_content={"books": "many"})
        case "slow":
            await anyio.sleep(arguments["ms"] / 1000)
            return says("done at last")
        case "large":
            return says("book " * (arguments["kib"] * 1024 // 5))
        case "ask":
            return says("lent") if params.input_responses else question()
        case "silent":
            await anyio.sleep_forever()
        case "exit":
            os._exit(3)
    raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")


server = Server("outcomes", version="1.0.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if len(sys.argv) > 1:
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
else:
    anyio.run(over_stdio)
