"""The tools of the low-level Python servers, as tools/list shows them."""

BOOKS = {"type": "object", "properties": {"books": {"type": "integer"}}, "required": ["books"]}
TAKE = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "mode": {"type": "string", "enum": ["read", "lend"]}},
    "required": ["count", "mode"],
}


def number(name):
    return {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}


NOTHING = {"type": "object", "properties": {}}

# name: (input schema, output schema)
TOOLS = {
    "text": (NOTHING, None),
    "structured": (NOTHING, BOOKS),
    "empty_list": (NOTHING, None),
    "blank": (NOTHING, None),
    "take": (TAKE, None),
    "refuse": (NOTHING, None),
    "named": (NOTHING, None),
    "refuse_code": (NOTHING, None),
    "throw": (NOTHING, None),
    "bug": (NOTHING, None),
    "no_result": (NOTHING, None),
    "bad_output": (NOTHING, BOOKS),
    "slow": (number("ms"), None),
    "large": (number("kib"), None),
    "silent": (NOTHING, None),
    "exit": (NOTHING, None),
}
