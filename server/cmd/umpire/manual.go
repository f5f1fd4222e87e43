package main

// What stands between the usage and the flags of the commands that ask one question:
// what is printed, and lines to copy.

// Help implements kong.HelpProvider.
func (errorsCommand) Help() string {
	return `Failures of all tools, those with the same cause and message as one, most calls
first; by their names; and what the models did after each.

    umpire errors --last 24h
    umpire errors --tool refund_order --outcome crashed --json | jq '.failures[0].samples'`
}

// Help implements kong.HelpProvider.
func (toolCommand) Help() string {
	return `One tool: how its calls end, what fails, which arguments are refused and why, when it
says nothing, for which clients, and what is called before and after it.

    umpire tool search_books --last 24h
    umpire tool search_books --client cursor --json | jq .bad_params

A name that no tool has is refused, with those that are near: exit code 2.`
}

// Help implements kong.HelpProvider.
func (insightsCommand) Help() string {
	return `What is broken or got worse, most urgent first: each finding with its figures, since
when, and what follows from it. docs/insights.md has the rules.

    umpire insights --last 7d
    umpire insights --json | jq -r '.insights[] | select(.severity == "critical") | .tool'`
}

// Help implements kong.HelpProvider.
func (releasesCommand) Help() string {
	return `Each version of a server beside the one before: better, worse or the same, where the
difference is more than chance explains.

    umpire releases --last 30d
    umpire releases --server bookshop --json | jq '.releases[0].differences'`
}

// Help implements kong.HelpProvider.
func (clientsCommand) Help() string {
	return `How the calls of each client end, most calls first: one row a client.

    umpire clients --last 24h
    umpire clients --tool search_books --json`
}

// Help implements kong.HelpProvider.
func (sessionsCommand) Help() string {
	return `Sessions, the newest first, or one of them call by call.

    umpire sessions --failed --last 24h
    umpire sessions --loops --json | jq -r '.sessions[].session'
    umpire sessions 9f8be4c2d1a7

What follows a list is printed under it: --cursor shows the next rows.`
}

// Help implements kong.HelpProvider.
func (doctorCommand) Help() string {
	return `Looks whether the server answers and the key is right, at its clock, disk and log, at
the last event, and at what the senders cannot show.

    umpire doctor --data umpire-data
    umpire doctor --to https://umpire.example.com --key-file ~/.umpire-key

Exit codes: 0, all is well; 1, something is wrong; 2, the flags are.`
}
