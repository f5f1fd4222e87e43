package umpire

import "strings"

// Platforms of a caller that no row of the table knows.
const (
	platformOther   = "other"   // it gave a name
	platformUnknown = "unknown" // it gave none
)

// platformNames is the one table from a client to its platform. A row holds a
// word and the platform it tells; the word is looked for in the name, which is
// brought to lower case with a dash for every other sign, and stands between
// dashes or ends: "code" is found in "visual-studio-code" and not in
// "codegate". The first row that fits wins, so the more special stand first.
//
// The names are those that clients send in clientInfo. A bridge has no row: the
// name behind it tells ("claude-ai (via mcp-remote 0.1.29)").
var platformNames = []struct{ word, platform string }{
	{"gemini-cli", "gemini"},      // gemini-cli-mcp-client, and then the server's name
	{"codex-mcp-client", "codex"}, //
	{"inspector", "inspector"},    // mcp-inspector, inspector-client
	{"claude-code", "claude-code"},
	{"claudecode", "claude-code"},
	{"roo-code", "roo-code"}, // Roo Code
	{"roo-cline", "roo-code"},
	{"kilo-code", "kilo-code"},
	{"cline", "cline"},
	{"github-copilot", "copilot"}, // github-copilot-developer, GitHub Copilot
	{"copilot", "copilot"},
	{"cursor", "cursor"}, // cursor-vscode, cursor
	{"windsurf", "windsurf"},
	{"codeium", "windsurf"},
	{"visual-studio-code", "vscode"}, // Visual Studio Code, … - Insiders
	{"vscode", "vscode"},
	{"vs-code", "vscode"},
	{"continue", "continue"}, // continue-client
	{"codex", "codex"},
	{"openai-mcp", "chatgpt"},
	{"chatgpt", "chatgpt"},
	{"openai", "openai"}, // openai-agents and the like
	{"gemini", "gemini"},
	{"jetbrains", "jetbrains"},
	{"intellij", "jetbrains"},
	{"junie", "jetbrains"},
	{"zed", "zed"},
	{"goose", "goose"},
	{"amp", "amp"}, // amp-mcp-client
	{"opencode", "opencode"},
	{"warp", "warp"},
	{"librechat", "librechat"},
	{"n8n", "n8n"},
	{"langchain", "langchain"},
	{"lm-studio", "lm-studio"},
	{"lmstudio", "lm-studio"},
	{"raycast", "raycast"},
	{"kiro", "kiro"},
	{"amazon-q", "amazon-q"},
	{"q-developer", "amazon-q"},
	{"mistral", "mistral"}, // Le Chat
	{"perplexity", "perplexity"},
	{"trae", "trae"},
	{"claudeai", "claude"}, // Anthropic/ClaudeAI
	{"claude-ai", "claude"},
	{"claude-desktop", "claude"},
	{"claude", "claude"},
	{"anthropic", "claude"},
}

// PlatformOf derives the platform of an event from the client's user agent and,
// where that tells nothing, from its name in clientInfo. The list of platforms
// is closed (docs/wire.md): a client that is not in it is "other", and one that
// gave neither a name nor a telling user agent is "unknown".
func PlatformOf(clientName, userAgent string) string {
	var room [128]byte
	for _, name := range [...]string{userAgent, clientName} {
		if p := platformIn(platformForm(room[:0], name)); p != "" {
			return p
		}
	}
	if strings.TrimSpace(clientName) != "" {
		return platformOther
	}
	return platformUnknown
}

// platformForm appends a name as the table is written, with a dash at both
// ends; what lies behind the room is not looked at.
func platformForm(b []byte, name string) []byte {
	b = append(b, '-')
	for k := 0; k < len(name) && len(b) < cap(b)-1; k++ {
		c := name[k]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		default:
			if c = '-'; b[len(b)-1] == '-' {
				continue
			}
		}
		b = append(b, c)
	}
	if b[len(b)-1] != '-' {
		b = append(b, '-')
	}
	return b
}

func platformIn(name []byte) string {
	if len(name) < 2 {
		return ""
	}
	text := string(name)
	for _, row := range platformNames {
		at := strings.Index(text, row.word)
		for at >= 0 {
			if end := at + len(row.word); text[at-1] == '-' && text[end] == '-' {
				return row.platform
			}
			next := strings.Index(text[at+1:], row.word)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return ""
}
