package span

import (
	"encoding/json"
	"strconv"
)

// maxBlocks is how many blocks of an answer are looked at.
const maxBlocks = 100

// result is the answer as the client got it, where the span holds that much of it;
// else nil.
func (s *Span) result() json.RawMessage {
	if raw := s.Attributes.JSON("gen_ai.tool.call.result", "mcp.tool.result"); raw != nil {
		return asResult(raw)
	}
	if out := object(s.Attributes.JSON("traceloop.entity.output")); out != nil {
		if raw := out.Raw("result"); raw != nil {
			if result := asResult(raw); result != nil {
				return result
			}
			return blocksOf(raw, out.True("is_error", "isError"))
		}
		return asResult(s.Attributes.JSON("traceloop.entity.output"))
	}
	return s.blocks()
}

// asResult takes what is an answer of tools/call. A bare list of blocks is one, too.
func asResult(raw json.RawMessage) json.RawMessage {
	if f := object(raw); f.Has("content", "structuredContent", "isError") {
		return raw
	}
	return nil
}

// blocksOf makes an answer of a list of blocks, or of one text.
func blocksOf(raw json.RawMessage, isError bool) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, block := range list {
		if !object(block).Has("type") {
			return nil
		}
	}
	out, err := json.Marshal(map[string]any{"content": list, "isError": isError})
	if err != nil {
		return nil
	}
	return out
}

// blocks puts the answer together again from Sentry's attributes. Without the texts
// there is none: that there was a text says nothing of what it said.
func (s *Span) blocks() json.RawMessage {
	n, ok := s.Attributes.Int("mcp.tool.result.content_count")
	if !ok || n <= 0 || n > maxBlocks {
		return nil
	}
	content := make([]any, 0, n)
	for i := range n {
		prefix := "mcp.tool.result."
		if n > 1 {
			prefix += strconv.FormatInt(i, 10) + "."
		}
		kind := s.Attributes.Text(prefix + "content_type")
		text, sent := s.Attributes[prefix+"content"].(string)
		if kind == "text" && sent {
			content = append(content, map[string]string{"type": "text", "text": text})
		} else if kind == "" || kind == "text" {
			return nil
		} else {
			content = append(content, map[string]string{"type": kind})
		}
	}
	out, err := json.Marshal(map[string]any{"content": content, "isError": s.Attributes.True("mcp.tool.result.is_error")})
	if err != nil {
		return nil
	}
	return out
}

// nothingBack is the sender's word that an answer had no content. That there was
// structured content beside it, no sender says.
func (s *Span) nothingBack() bool {
	n, ok := s.Attributes.Int("mcp.tool.result.content_count")
	return ok && n == 0
}

// text is the first text of an answer that holds one.
func (s *Span) text() string {
	return s.Attributes.Text("mcp.tool.result.content", "mcp.tool.result.0.content")
}
