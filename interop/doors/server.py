"""One MCP server with another vendor's SDK in it, or with none, over stdio.

WATCH=posthog|agentcat|mcpcat|amplitude|none TO=URL KEY=… python server.py
"""

import asyncio
import os
from typing import Literal

from mcp.server.fastmcp import FastMCP
from mcp.types import CallToolResult, TextContent

watch, to, key = os.environ["WATCH"], os.environ.get("TO", ""), os.environ.get("KEY", "")
server = FastMCP("interop-doors")


def wrapped(handler):
    return handler


end = None
if watch == "posthog":
    from posthog import Posthog
    from posthog.mcp import instrument

    client = Posthog(key, host=to, flush_interval=0.5)
    end = client.shutdown
elif watch == "amplitude":
    from amplitude import Amplitude
    from amplitude_mcp_analytics import AmplitudeMCPAnalytics

    client = Amplitude(key)
    client.configuration.server_url = to + "/2/httpapi"
    analytics = AmplitudeMCPAnalytics(amplitude=client, server_name="interop-doors", server_version="1.2.3")
    analytics.instrument_server(server)
    end = client.shutdown

    def wrapped(handler):
        return analytics.instrument_tool(handler, {"name": handler.__name__})


def tool(handler):
    server.add_tool(wrapped(handler), name=handler.__name__)


class KernelApiError404(Exception):
    pass


def text(words: str, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=words)], isError=failed)


async def ok_tool(q: str = "") -> CallToolResult:
    return text("ok: " + q)


async def empty_list() -> CallToolResult:
    return text("[]")


async def empty_content() -> CallToolResult:
    return CallToolResult(content=[])


async def refuse() -> CallToolResult:
    return text("the offer for max@example.com has expired", failed=True)


async def boom() -> CallToolResult:
    raise RuntimeError("customer max@example.com not found")


async def named_error() -> CallToolResult:
    raise KernelApiError404("404 no such session")


async def strict(colour: Literal["red", "green"]) -> CallToolResult:
    return text("painted " + colour)


async def slow() -> CallToolResult:
    await asyncio.sleep(0.7)
    return text("done")


for handler in (ok_tool, empty_list, empty_content, refuse, boom, named_error, strict, slow):
    tool(handler)

if watch == "posthog":
    instrument(server, client)
elif watch == "agentcat":
    import agentcat

    agentcat.track(server, key, agentcat.AgentCatOptions(api_base_url=to))
elif watch == "mcpcat":
    os.environ["MCPCAT_API_URL"] = to
    import mcpcat

    mcpcat.track(server, key)

try:
    server.run()
finally:
    if end:
        end()
