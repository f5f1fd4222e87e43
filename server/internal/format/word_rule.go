package format

// The rules of a schema that an argument can break (outcomes.md 5.4).
var ruleTable = []Word{
	{
		Kind: KindRule, Name: "required", Label: "missing", Section: "5.4",
		Means: "A required argument was not given.",
		Saw:   "The name of what is missing.",
		Whose: "the description, where the model could not know what to put there",
		Do:    "Give the argument a description and an example, or a default. If the models send it under another name, take that name.",
	},
	{
		Kind: KindRule, Name: "type", Label: "wrong type", Section: "5.4",
		Means: "The value has another JSON type than the schema says.",
		Saw:   "The type that was expected.",
		Whose: "the schema, where the name suggests another type",
		Do:    "Say the type and the unit in the description, or accept both: a number and its text.",
	},
	{
		Kind: KindRule, Name: "enum", Label: "not one of the allowed values", Section: "5.4",
		Means: "The value is none of those that the schema allows.",
		Saw:   "In many SDKs the allowed values, in some not.",
		Whose: "the description, where it does not list the values; else the values, where they are not what people say",
		Do:    "List the values in the description with what each means, and accept the usual synonyms.",
	},
	{
		Kind: KindRule, Name: "pattern", Label: "does not match the pattern", Section: "5.4",
		Means: "The text does not match the regular expression in the schema.",
		Saw:   "The pattern, which few models can fill from the error alone.",
		Whose: "the description, where it gives no example",
		Do:    "Give an example of a right value in the description.",
	},
	{
		Kind: KindRule, Name: "range", Label: "out of range", Section: "5.4",
		Means: "A number, a length or a count of items is outside what the schema allows.",
		Saw:   "The limit.",
		Whose: "the description, where it does not name the limit",
		Do:    "Name the limit, or cut down to it and say so in the answer.",
	},
	{
		Kind: KindRule, Name: "unknown_property", Label: "no such argument", Section: "5.4",
		Means: "An argument was sent that the schema does not have.",
		Saw:   "The name that is not allowed.",
		Whose: "the naming: the models expect this argument",
		Do:    "Look at the nearest real name: take the expected name, or say what to use instead.",
	},
	{
		Kind: KindRule, Name: "format", Label: "wrong format", Section: "5.4",
		Means: "The text is not of the format that the schema names, such as a date or an address.",
		Saw:   "The name of the format.",
		Whose: "the description, where it gives no example",
		Do:    "Give an example: 2026-05-04T12:00:00Z.",
	},
}

// emptyForms are what an empty answer looks like, wherever it stands.
var emptyForms = []struct{ name, label, means string }{
	{"null", "null", "The answer is null"},
	{"empty_array", "[]", "The answer is an empty list"},
	{"empty_object", "{}", "The answer is an empty object"},
	{"blank_string", "a blank string", "The answer is an empty text in quotes"},
	{"empty_list", "an object around an empty list", "The answer is an object in which a list or an object is empty, and nothing else says anything"},
	{"no_data", "an object of nulls and zero counts", "The answer is an object of nothing but nulls and zero counts"},
}

// emptyTable are the rules by which an answer counts as empty (outcomes.md 3.4).
func emptyTable() []Word {
	const (
		saw = "A success without data."
		do  = "Say in words that there is nothing, why, and what to try. If nothing is a right answer of this tool, mute it (EmptyIsFine)."
	)
	word := func(name, label, means string) Word {
		return Word{Kind: KindEmptyRule, Name: name, Label: label, Section: "3.4", Means: means, Saw: saw, Whose: "whoever wrote the tool", Do: do}
	}
	all := []Word{
		word("no_content", "no content at all", "The answer has no content and no other key that says anything."),
		word("blank_text", "blank text", "The answer is text, and every text is blank."),
	}
	for _, place := range []struct{ name, label, where string }{
		{"json_text", ", as JSON in a text", ", written as JSON in a text."},
		{"structured", ", in the structured content", ", in the structured content."},
	} {
		for _, form := range emptyForms {
			all = append(all, word(place.name+":"+form.name, form.label+place.label, form.means+place.where))
		}
	}
	user := word("user", "your own hook says so", "The hook IsEmpty of the server's owner calls this answer empty.")
	return append(all, user)
}
