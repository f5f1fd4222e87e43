package alert

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// deliverTimeout bounds one attempt.
const deliverTimeout = 15 * time.Second

// deliver makes one attempt to tell the place. Its error names no secret.
func (e *Engine) deliver(ctx context.Context, to string, m Message, now time.Time) error {
	t, err := parseTarget(to)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	switch t.kind {
	case "email":
		return e.mail(ctx, t.url, m)
	case "slack":
		return e.post(ctx, t.url, map[string]any{"text": slackText(m)}, time.Time{})
	case "discord":
		return e.post(ctx, t.url, map[string]any{
			"content": cut(m.text()+"\n"+m.Link, 2000), "allowed_mentions": map[string]any{"parse": []string{}},
		}, time.Time{})
	}
	return e.post(ctx, t.url, m, now)
}

// post sends JSON; signed at the time, if there is one.
func (e *Engine) post(ctx context.Context, address string, v any, signed time.Time) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot write the message: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("cannot read the address")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "umpire-alert")
	if !signed.IsZero() && e.opt.Secret != "" {
		req.Header.Set("Umpire-Signature", Sign(e.opt.Secret, signed, body))
	}
	res, err := e.client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot reach %s: %s", req.URL.Host, strings.ReplaceAll(err.Error(), address, "it"))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("%s answered %s", req.URL.Host, res.Status)
	}
	return nil
}

// Sign is the header Umpire-Signature of a body: t=TIME,v1=HMAC, where HMAC is the
// HMAC-SHA-256 in hex, under the secret, of the time, a dot and the body.
func Sign(secret string, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// slackText is the message in Slack's markup, of which &, < and > are the only
// characters that begin something.
func slackText(m Message) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	return cut(escape.Replace(m.text()), 3500) + "\n<" + escape.Replace(m.Link) + "|Open in Umpire>"
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
