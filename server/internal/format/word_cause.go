package format

const (
	badArgs   = "bad_args"
	toolError = "tool_error"
	crashed   = "crashed"
)

// The closed list of outcomes.md 2.7.
var causeTable = []Word{
	{
		Kind: KindCause, Outcome: badArgs, Name: "schema", Label: "refused by the schema", Section: "2.2",
		Means: "The declared input schema forbids these arguments, and the SDK refused them before the handler ran.",
		Saw:   "The SDK's text about the argument and the rule.",
		Whose: "whoever wrote the schema and the description",
		Do:    "Look at the arguments by path and rule: what did the model not know? Say it in the description of that argument.",
	},
	{
		Kind: KindCause, Outcome: badArgs, Name: "decode", Label: "could not be decoded", Section: "2.2",
		Means: "The arguments passed the schema and did not fit the type that the handler takes.",
		Saw:   "A decoder's text, such as “cannot unmarshal string into field of type int”.",
		Whose: "whoever wrote the tool: schema and type say different things",
		Do:    "Make the schema as narrow as the type, best by deriving it from the type.",
	},
	{
		Kind: KindCause, Outcome: badArgs, Name: "invalid_params", Label: "malformed parameters", Section: "2.6",
		Means: "The parameters of the request are malformed, by the JSON-RPC error code or by an error's own word.",
		Saw:   "A JSON-RPC error, which not every client shows to the model.",
		Whose: "the client, or the tool that refuses arguments by code",
		Do:    "If the tool refuses by code -32602, answer with an error result instead: the model reads that.",
	},
	{
		Kind: KindCause, Outcome: badArgs, Name: "unknown_tool", Label: "no such tool", Section: "5.5",
		Means: "The server has no tool of this name.",
		Saw:   "“Unknown tool”. The model made the name up, or remembers an older list.",
		Whose: "the naming of the tools, or a client with an old list",
		Do:    "Look at the nearest real name. A name that many ask for is a good name, or a tool that is missing.",
	},
	{
		Kind: KindCause, Outcome: badArgs, Name: "disabled_tool", Label: "the tool is disabled", Section: "2.2",
		Means: "The tool exists and is switched off or hidden.",
		Saw:   "An error that names the tool.",
		Whose: "whoever switched it off while clients still list it",
		Do:    "Send tools/list_changed when a tool goes away, and leave it out of the list.",
	},
	{
		Kind: KindCause, Outcome: badArgs, Name: "schema_in_tool", Label: "refused by the tool, as its schema says", Section: "2.2",
		Means: "The call failed, and its arguments break the declared schema: the tool's own refusal was one of its arguments.",
		Saw:   "The tool's own error text.",
		Whose: "whoever wrote the schema and the description",
		Do:    "As with schema: look at the arguments by path and rule. Let the SDK check them, so that all refusals read alike.",
	},
	{
		Kind: KindCause, Outcome: toolError, Name: "returned", Label: "returned an error", Section: "2.5",
		Means: "The handler returned a Go error, and the SDK showed it to the model as an error result.",
		Saw:   "The text of the error.",
		Whose: "the tool, or a service behind it",
		Do:    "Read the text as a model: what is it to do now? Name the error (umpire.Refuse, MCPErrorType) so that its kinds can be told apart.",
	},
	{
		Kind: KindCause, Outcome: toolError, Name: "result", Label: "answered with an error", Section: "2.4",
		Means: "The handler answered “isError: true”. Seen from outside, an exception that the SDK wraps looks the same.",
		Saw:   "An error result with its text.",
		Whose: "the tool, or a service behind it",
		Do:    "Read the text as a model. Give the result a name (_meta umpire/errorType). If you only watch from outside, some of these may be crashes: an adapter in the server can tell.",
	},
	{
		Kind: KindCause, Outcome: toolError, Name: "refused", Label: "refused by a code of its own", Section: "2.6",
		Means: "A JSON-RPC error with a code of the server's own range: a deliberate refusal.",
		Saw:   "A JSON-RPC error. Many clients show it as a failure of the server and not to the model.",
		Whose: "the tool",
		Do:    "Answer with an error result instead, so that the model reads why.",
	},
	{
		Kind: KindCause, Outcome: toolError, Name: "input_unavailable", Label: "asked for input that the client cannot give", Section: "2.4",
		Means: "The tool asked its user for more, and this client cannot ask.",
		Saw:   "An error that begins “multi-round-trip:”.",
		Whose: "the tool: not every client can ask its user",
		Do:    "Look at what the client is able to do, and go on without the input, or take it as an argument.",
	},
	{
		Kind: KindCause, Outcome: toolError, Name: "rule", Label: "by your rule", Section: "4",
		Means: "The answer said success, and a rule that a person made from its mark says that this is a failure.",
		Saw:   "A success.",
		Whose: "the tool: it reports failures as successes",
		Do:    "Let the tool answer “isError: true” in this case; then the rule has nothing left to do.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "panic", Label: "panic", Section: "2.3",
		Means: "The handler panicked.",
		Saw:   "Nothing, where the process ended; else an internal error.",
		Whose: "whoever wrote the tool",
		Do:    "Fix the bug. The message names it; the version says since when.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "returned", Label: "returned an error", Section: "2.5",
		Means: "The handler returned an error that reached the client as a failure of the protocol, or that is a known bug, such as a nil pointer that was recovered.",
		Saw:   "A JSON-RPC error, or an error result with the text of a bug.",
		Whose: "whoever wrote the tool",
		Do:    "A refusal: give it a name (umpire.Refuse) or answer “isError: true”. A bug: fix it.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "thrown", Label: "threw an exception", Section: "2.3",
		Means: "The handler threw an exception that it did not mean to show.",
		Saw:   "Often an error result, in the same shape as a refusal.",
		Whose: "whoever wrote the tool",
		Do:    "Fix the bug, or catch the exception and say in words what the model is to do.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "output_schema", Label: "the answer breaks the output schema", Section: "2.3",
		Means: "The answer breaks the tool's own output schema, or cannot be written as JSON.",
		Saw:   "An error in place of an answer that may have been right.",
		Whose: "whoever wrote the tool",
		Do:    "Correct the output schema or the answer. Optional fields are the usual reason.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "no_result", Label: "no result at all", Section: "2.3",
		Means: "The handler gave back neither a result nor an error.",
		Saw:   "An answer that holds nothing usable.",
		Whose: "whoever wrote the tool",
		Do:    "Return a result on every path.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "protocol", Label: "protocol error", Section: "2.6",
		Means: "A JSON-RPC error whose code says that the server failed inside.",
		Saw:   "“Internal error”. Most models never see the text.",
		Whose: "the server; if it refuses in this way on purpose, its choice of code",
		Do:    "Answer with an error result. If -32603 is your way of refusing, make a rule: umpire rule add --server NAME --code=-32603.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "timeout", Label: "timed out", Section: "1.2",
		Means: "The client waited in vain and withdrew the request with the words “Request timed out”.",
		Saw:   "Nothing, after a long wait.",
		Whose: "the tool, or a slow service behind it",
		Do:    "Set a limit to what the tool waits for, below that of the clients (often 60 s), and answer with what there is.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "process_exit", Label: "the process ended", Section: "1.3",
		Means: "The server's process ended before the call was answered.",
		Saw:   "A broken connection; all calls that were open are lost.",
		Whose: "the server, or whoever stopped it",
		Do:    "Look for a panic, for memory, for a deploy that does not wait. When several calls were open, no one of them is to be blamed alone.",
	},
	{
		Kind: KindCause, Outcome: crashed, Name: "no_reply", Label: "never answered", Section: "1.3",
		Means: "The stream broke, or the session closed, under the open call.",
		Saw:   "Nothing.",
		Whose: "the network, a proxy with a time limit, or the tool that takes too long",
		Do:    "Look how long such calls had been open: a round number is a proxy's limit.",
	},
}
