"""The tools of the high-level Python servers: one for every outcome.

python-v2-high and fastmcp take them from here, too: a tool is a plain function,
and what differs is the SDK around it.
"""

import asyncio
import os
from typing import Literal

from typing_extensions import TypedDict


class Books(TypedDict):
    books: int


def text() -> str:
    return "The shelf holds 12 books."


def structured() -> Books:
    return {"books": 12}


def empty_list() -> list[str]:
    return []


def blank() -> str:
    return ""


def take(count: int, mode: Literal["read", "lend"]) -> str:
    return f"{mode} {count}"


def throw() -> str:
    raise RuntimeError("the ladder broke")


def bug() -> str:
    shelf = None
    return shelf.title


def no_result():
    return None


def bad_output() -> Books:
    return {"books": "many"}


async def slow(ms: int) -> str:
    await asyncio.sleep(ms / 1000)
    return "done at last"


def large(kib: int):
    return "book " * (kib * 1024 // 5)


async def silent() -> str:
    await asyncio.Event().wait()


def exit() -> str:
    os._exit(3)


def register(tool):
    """Adds all with the SDK's own decorator."""
    for function in (text, structured, empty_list, blank, take, throw, bug, no_result, bad_output, slow, large, silent, exit):
        tool(function)
