package umpire

import (
	"strings"
	"testing"
)

func TestPlatformOf(t *testing.T) {
	for _, c := range []struct{ name, agent, want string }{
		{"claude-ai", "", "claude"},
		{"claude-desktop", "", "claude"},
		{"Anthropic/ClaudeAI", "", "claude"},
		{"claude-ai (via mcp-remote 0.1.29)", "", "claude"},
		{"claude-code", "", "claude-code"},
		{"Claude Code", "", "claude-code"},
		{"", "claude-code/2.0.14 (cli)", "claude-code"},
		{"cursor-vscode", "", "cursor"},
		{"Cursor", "Cursor/1.7.4 (linux x64)", "cursor"},
		{"Visual Studio Code", "", "vscode"},
		{"Visual Studio Code - Insiders", "node", "vscode"},
		{"openai-mcp", "", "chatgpt"},
		{"openai-mcp (ChatGPT)", "openai-mcp/1.0.0", "chatgpt"},
		{"codex-mcp-client", "", "codex"},
		{"gemini-cli-mcp-client", "", "gemini"},
		{"gemini-cli-mcp-client-cursor", "", "gemini"},
		{"windsurf-client", "", "windsurf"},
		{"mcp-inspector", "", "inspector"},
		{"inspector-client", "", "inspector"},
		{"@modelcontextprotocol/inspector", "", "inspector"},
		{"Zed", "", "zed"},
		{"Cline", "", "cline"},
		{"Roo Code", "", "roo-code"},
		{"goose", "", "goose"},
		{"goose-desktop", "", "goose"},
		{"continue-client", "", "continue"},
		{"github-copilot-developer", "", "copilot"},
		{"GitHub Copilot", "", "copilot"},
		{"amp-mcp-client", "", "amp"},
		{"opencode", "", "opencode"},
		{"Warp", "", "warp"},
		{"@librechat/api-client", "", "librechat"},
		{"JetBrains-IU/copilot-intellij", "", "copilot"},

		{"my-agent", "", "other"},
		{"my-agent", "python-httpx/0.28.1", "other"},
		{"my-agent", "Claude-User", "claude"},
		{"example", "", "other"},
		{"amplifier", "", "other"},
		{"codegate", "", "other"},
		{"cursors", "", "other"},
		{"客户端", "", "other"},
		{"", "", "unknown"},
		{" ", "", "unknown"},
		{"", "Mozilla/5.0 (X11; Linux x86_64)", "unknown"},
		{strings.Repeat("x", 500) + " cursor", "", "other"},
	} {
		if got := PlatformOf(c.name, c.agent); got != c.want {
			t.Errorf("PlatformOf(%q, %q) = %q, want %q", c.name, c.agent, got, c.want)
		}
	}
}

// TestPlatformTable finds each row by its own word, unless an earlier row of
// another platform hides it.
func TestPlatformTable(t *testing.T) {
	for _, row := range platformNames {
		if got := PlatformOf(row.word, ""); got != row.platform {
			t.Errorf("the row %q gives %q, want %q", row.word, got, row.platform)
		}
		if got := PlatformOf("x/"+strings.ToUpper(row.word)+" 1.0", ""); got != row.platform {
			t.Errorf("the row %q inside a name gives %q, want %q", row.word, got, row.platform)
		}
		if got := PlatformOf("x"+strings.ReplaceAll(row.word, "-", ""), ""); got == row.platform {
			t.Errorf("the row %q is found inside a word", row.word)
		}
	}
}
