"""One MCP server with FastMCP, watched by its own OpenTelemetry spans or by opentel-mcp.

WATCH=fastmcp|opentel-mcp TO=URL KEY=... python server.py [PORT]
"""

import atexit
import os
import sys
import time
from typing import Literal

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "interop-doors"}))
exporter = OTLPSpanExporter(endpoint=os.environ["TO"] + "/v1/traces", headers={"authorization": "Bearer " + os.environ["KEY"]})
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
atexit.register(provider.shutdown)

watch = os.environ["WATCH"]
if watch == "fastmcp":
    from fastmcp import FastMCP as Server
    from fastmcp.exceptions import ToolError
else:
    from mcp.server.mcpserver import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ToolError

server = Server("interop-doors")


class KernelApiError404(Exception):
    pass


@server.tool()
def ok_tool(q: str = "") -> str:
    return f"ok: {q}"


@server.tool()
def empty_list() -> list[str]:
    return []


@server.tool()
def empty_content() -> None:
    return None


@server.tool()
def refuse() -> str:
    raise ToolError("the offer for max@example.com has expired")


@server.tool()
def boom() -> str:
    raise ValueError("customer max@example.com not found")


@server.tool()
def named_error() -> str:
    raise KernelApiError404("404 no such session")


@server.tool()
def strict(colour: Literal["red", "green"]) -> str:
    return f"painted {colour}"


@server.tool()
async def slow() -> str:
    import asyncio

    await asyncio.sleep(0.7)
    return "done"


if watch == "opentel-mcp":
    from opentel_mcp import instrument_mcp_server

    instrument_mcp_server(server)

if len(sys.argv) > 1:
    port = int(sys.argv[1])
    if watch == "fastmcp":
        server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
    else:
        server.run(transport="streamable-http", host="127.0.0.1", port=port)
elif watch == "fastmcp":
    server.run(show_banner=False)
else:
    server.run()
