package format

// The marks on ok calls (outcomes.md 4).
var markTable = []Word{
	{
		Kind: KindMark, Name: "structured_error", Label: "the answer holds an error object", Section: "4",
		Means: "A success whose payload has a filled “error” at its top, or nothing but a code and a message about an error.",
		Saw:   "A success. Whether the model notices the error is luck.",
		Whose: "the tool: it reports a failure as a success",
		Do:    "Answer “isError: true” in this case, or make a rule of the mark.",
	},
	{
		Kind: KindMark, Name: "envelope_error", Label: "the envelope says failure", Section: "4",
		Means: "A success whose envelope says otherwise: success or ok is false, or status says failed, or a code from 400 on.",
		Saw:   "A success.",
		Whose: "the tool, or a service whose answer it hands on",
		Do:    "Turn the envelope of the service into an error result, or make a rule of the mark.",
	},
	{
		Kind: KindMark, Name: "envelope_only", Label: "an envelope and nothing in it", Section: "4",
		Means: "A success of nothing but status words: perhaps an empty answer, perhaps “done”.",
		Saw:   "A success that says little.",
		Whose: "the tool",
		Do:    "If it is a confirmation, all is well. If data was asked for, say that there is none.",
	},
	{
		Kind: KindMark, Name: "all_failed", Label: "every item of the batch failed", Section: "4",
		Means: "A batch that is reported as a success, in which every item failed.",
		Saw:   "A success with a list of failures.",
		Whose: "the tool",
		Do:    "Answer “isError: true” when nothing of a batch worked, or make a rule of the mark.",
	},
	{
		Kind: KindMark, Name: "error_text", Label: "the text reads like a failure", Section: "4",
		Means: "A success whose text begins like an error, or is one short sentence that ends in “not found”.",
		Saw:   "A success with the text of an error.",
		Whose: "the tool: it forgets isError",
		Do:    "Answer “isError: true” with this text, or make a rule of the mark.",
	},
	{
		Kind: KindMark, Name: "args_mismatch", Label: "accepted arguments that break the schema", Section: "4",
		Means: "A success although the arguments break the declared schema.",
		Saw:   "An ordinary answer.",
		Whose: "whoever wrote the schema: it forbids what the tool takes",
		Do:    "Allow in the schema what the tool accepts, or let it refuse.",
	},
	{
		Kind: KindMark, Name: "unlisted_tool", Label: "a tool that tools/list does not name", Section: "4",
		Means: "A success under a name that the list of tools does not hold.",
		Saw:   "An ordinary answer.",
		Whose: "the server: its list and its tools differ",
		Do:    "List the tool, or take it away.",
	},
	{
		Kind: KindMark, Name: "malformed_result", Label: "an answer without content", Section: "4",
		Means: "The result has no “content” and keys that the protocol does not know.",
		Saw:   "Depends on the client: often nothing.",
		Whose: "the server, or its SDK",
		Do:    "Put the data into content blocks or structuredContent.",
	},
	{
		Kind: KindMark, Name: "malformed_is_error", Label: "isError is not a boolean", Section: "4",
		Means: "The result has an isError that is no boolean, such as the text \"true\". Only the literal true is an error.",
		Saw:   "A success in most clients, whatever was meant.",
		Whose: "the tool",
		Do:    "Write true or false without quotes.",
	},
	{
		Kind: KindMark, Name: "structured_only", Label: "data beside an empty content list", Section: "4",
		Means: "The data stands in structuredContent alone, beside an empty content list.",
		Saw:   "Nothing, in clients that show content only.",
		Whose: "the tool",
		Do:    "Repeat the data as text in content, as the protocol advises.",
	},
}

// What a model did after a failed call (outcomes.md 6.5).
var nextTable = []Word{
	{
		Kind: KindNext, Name: "corrected", Label: "corrected itself", Section: "6.5",
		Means: "Within half an hour the same session called the same tool with other arguments, and that was ok.",
		Saw:   "An error it could work with.",
		Whose: "nobody's: the message did its work",
		Do:    "It still cost a round. If most failures of a group are corrected in the same way, say so in the description.",
	},
	{
		Kind: KindNext, Name: "repeated", Label: "repeated the same call", Section: "6.5",
		Means: "The same tool was called again with the same arguments, and no call with other arguments was ok.",
		Saw:   "An error that reads as if it would pass.",
		Whose: "the message: it does not say what has to change; or a service that is away for a moment",
		Do:    "Say whether trying again helps, and when. Else say what has to change.",
	},
	{
		Kind: KindNext, Name: "tried_again", Label: "tried other arguments in vain", Section: "6.5",
		Means: "The same tool was called again, with other arguments only, and never with success.",
		Saw:   "An error that does not say enough.",
		Whose: "the message, or the description",
		Do:    "Name in the message the argument, the rule and an example that works.",
	},
	{
		Kind: KindNext, Name: "another_tool", Label: "went to another tool", Section: "6.5",
		Means: "The session called other tools, and not this one again.",
		Saw:   "An error that made it look elsewhere.",
		Whose: "depends: a good refusal names the better tool",
		Do:    "Look at the neighbours: which tool did they go to? If it is the right one, say so before the call, in the description.",
	},
	{
		Kind: KindNext, Name: "gave_up", Label: "gave up", Section: "6.5",
		Means: "The session made no further call within half an hour.",
		Saw:   "An error after which there was nothing left to try.",
		Whose: "the tool: this is where users are lost",
		Do:    "Start here: these failures ended the work.",
	},
}
