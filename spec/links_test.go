package spec_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	anchor  = regexp.MustCompile(`<a id="([^"]+)">`)
	quoted  = regexp.MustCompile("`[^`\n]*`")
)

// inBinary are the pages that umpire serves under /docs/.
var inBinary = filepath.Join("..", "server", "internal", "web", "docs")

// TestLinks: no relative link of a page leads nowhere, and no anchor.
func TestLinks(t *testing.T) {
	links := 0
	for _, page := range pages(t) {
		text := fenced.ReplaceAllString(read(t, page), "")
		for _, m := range link.FindAllStringSubmatch(quoted.ReplaceAllString(text, ""), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %q: %v", page, m[1], err)
				continue
			}
			if to.Scheme != "" || to.Host != "" {
				continue
			}
			links++
			if name, ok := strings.CutPrefix(to.Path, "/docs/"); ok && filepath.Dir(page) == inBinary {
				// Its anchors are made by the page; a browser looks for them.
				to.Path, to.Fragment = name+".md", ""
			}
			file := page
			if to.Path != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(to.Path))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if to.Fragment != "" && strings.HasSuffix(file, ".md") && !anchors(t, file)[to.Fragment] {
				t.Errorf("%s links to %s: no such heading", page, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// pages are the Markdown files of this repository.
func pages(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var noAnchor = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)

// anchors are the names under which a page's headings are reached.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, m := range anchor.FindAllStringSubmatch(read(t, page), -1) {
		names[m[1]] = true
	}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
		text := link.ReplaceAllString(m[1], "]")
		names[strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(text), ""), " ", "-")] = true
	}
	return names
}
