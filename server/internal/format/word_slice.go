package format

// The slices. A call is in exactly one of them (outcomes.md, top).
var sliceTable = []Word{
	{
		Kind: KindSlice, Name: "ok", Label: "OK", Section: "2.8",
		Means: "The tool answered, and not with an error. As an outcome, ok holds the empty answers, too; as a slice it does not.",
		Saw:   "An ordinary answer.",
		Whose: "nobody's",
		Do:    "Nothing. Whether the answer was right, Umpire cannot know: look at “reported as success” for answers that read like a failure.",
	},
	{
		Kind: KindSlice, Name: "empty", Label: "Empty", Section: "3",
		Means: "The tool answered without an error and said nothing: no content, a blank text, an empty list.",
		Saw:   "A success with nothing in it. Models tend to try again in other words, or to make something up.",
		Whose: "whoever wrote the tool",
		Do:    "Say why there is nothing and what to try: “no orders in May; the newest is of April 2”. If nothing is a right answer of this tool, mute it (EmptyIsFine).",
	},
	{
		Kind: KindSlice, Name: "bad_args", Label: "Bad args", Section: "2.2",
		Means: "The arguments, or the name of the tool, were refused: a schema that the model could not fill. The handler did not run, or refused what its own schema forbids.",
		Saw:   "An error about the arguments, which most clients show to the model, so that it may try again.",
		Whose: "whoever wrote the schema and the description",
		Do:    "Look at the arguments most often refused. Name the allowed values in the description, make optional what can be, call an argument what the models call it.",
	},
	{
		Kind: KindSlice, Name: "tool_error", Label: "Tool error", Section: "2.4",
		Means: "The handler ran and said no: it answered “isError: true”, or returned an error that the SDK shows in this way.",
		Saw:   "An error result with the tool's own text. The model reads it.",
		Whose: "often nobody's: the refusal may be right. Else the tool's, or that of a service behind it",
		Do:    "Read the text as the model does: does it say what was wrong and what to do instead? Give errors a name, and look whether the model corrects itself afterwards.",
	},
	{
		Kind: KindSlice, Name: "crashed", Label: "Crashed", Section: "2.3",
		Means: "The handler threw, broke, or never answered: a panic, a broken answer, the end of the process, a hang.",
		Saw:   "The same shape as a tool error in most SDKs, or nothing at all. No wording of the model helps.",
		Whose: "whoever wrote the tool: it is a bug",
		Do:    "Fix it. The group's message, version and first-seen time are what a bug report needs.",
	},
}
