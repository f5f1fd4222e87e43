package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

//go:embed static
var staticFiles embed.FS

//go:embed tpl
var templateFiles embed.FS

// assets are the static files, each under a name that holds a hash of its
// content, so that a browser may keep it for ever.
type assets struct {
	urls  map[string]string // app.css -> static/app.0a1b2c3d.css
	files map[string]asset  // app.0a1b2c3d.css -> its content
}

type asset struct {
	body []byte
	kind string
}

var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func loadAssets() (*assets, error) {
	a := &assets{urls: map[string]string{}, files: map[string]asset{}}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		body, err := staticFiles.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(e.Name())
		hashed := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:4]) + ext
		a.urls[e.Name()] = "static/" + hashed
		a.files[hashed] = asset{body: body, kind: assetKinds[ext]}
	}
	return a, nil
}

// static serves a file by its hashed name.
func (s *site) static(w http.ResponseWriter, r *http.Request) error {
	f, found := s.assets.files[r.PathValue("file")]
	if !found {
		return fault.New(fault.NotFound, "there is no such file", "reload the page: Umpire may have been upgraded")
	}
	w.Header().Set("Content-Type", f.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err := w.Write(f.body)
	return err
}
