package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

// askFlags say whom a question is asked: a server, or a data directory.
type askFlags struct {
	dataFlag
	To      string `help:"Address of a running Umpire, in place of a data directory." placeholder:"URL" env:"UMPIRE_TO"`
	KeyFile string `name:"key-file" help:"File that holds the read key (ump_r_…) for --to." placeholder:"FILE" type:"path" env:"UMPIRE_KEY_FILE"`
	Key     string `help:"Read key for --to. Everyone on the machine sees it on a command line: better in UMPIRE_READ_KEY or UMPIRE_KEY, or with --key-file." placeholder:"KEY" env:"UMPIRE_READ_KEY,UMPIRE_KEY"`
}

// get asks the read API.
func (a asking) get(ctx context.Context, path string, values url.Values, out any) error {
	return remote.Get(ctx, a.client, a.base, a.key, "/api/v1/"+path, values, out)
}

// askTimeout is longer than what the read API gives a question.
const askTimeout = time.Minute

// asking is how the read API of whoever is asked is reached.
type asking struct {
	client    *http.Client
	base, key string
}

// ask calls do with whom the flags name. A data directory is opened once, and held
// meanwhile, if nobody holds it.
func (f *askFlags) ask(ctx context.Context, do func(asking) error) error {
	if f.To != "" {
		who, err := f.server()
		if err != nil {
			return err
		}
		return do(who)
	}
	return inDirectory(ctx, f.dataFlag, func(client *admin.Client) error {
		if err := client.Sync(ctx); err != nil {
			return err
		}
		return do(asking{client: client.HTTP(), base: "http://umpire"})
	})
}

// each is ask for questions that come over hours: a data directory is opened for
// each of them, so that a server can be started meanwhile.
func (f *askFlags) each() (asking, error) {
	if f.To != "" {
		return f.server()
	}
	return asking{client: &http.Client{Transport: &directory{where: f.dataFlag}, Timeout: askTimeout}, base: "http://umpire"}, nil
}

func (f *askFlags) server() (asking, error) {
	if !strings.HasPrefix(f.To, "http://") && !strings.HasPrefix(f.To, "https://") {
		return asking{}, fault.New(fault.BadRequest, "--to is the address of a server, such as http://127.0.0.1:8787", "the end of the window is --until")
	}
	who := asking{client: &http.Client{Timeout: askTimeout}, base: strings.TrimRight(f.To, "/"), key: strings.TrimSpace(f.Key)}
	if f.KeyFile != "" {
		text, err := os.ReadFile(f.KeyFile)
		if err != nil {
			return asking{}, fault.Wrap(err, fault.BadRequest, "cannot read the key in "+f.KeyFile, "the file holds a read key and nothing else")
		}
		who.key = strings.TrimSpace(string(text))
	}
	return who, nil
}

// directory answers requests of the read API from a data directory.
type directory struct {
	where dataFlag
	one   sync.Mutex // who opens the directory holds it
}

// RoundTrip implements http.RoundTripper.
func (d *directory) RoundTrip(r *http.Request) (res *http.Response, err error) {
	d.one.Lock()
	defer d.one.Unlock()
	err = inDirectory(r.Context(), d.where, func(client *admin.Client) error {
		if err := client.Sync(r.Context()); err != nil {
			return err
		}
		if res, err = client.HTTP().Transport.RoundTrip(r); err != nil { //nolint:bodyclose // closed below, and by who asked
			return err
		}
		// The directory may be closed when the answer is read.
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(text))
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}
