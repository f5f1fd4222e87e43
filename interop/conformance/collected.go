//go:build ignore

// What the SDKs' own conformance servers are watched with. tools/conformance.sh
// copies this file and watch_<adapter>.go beside such a server's main.go and adds
// one line to that: watch(server).
package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/umpire-mcp/umpire"
)

// collected is a client that delivers over HTTP, as it would to a collector
// elsewhere. What arrives is written to the file UMPIRE_TEST_EVENTS, one line an
// event: its kind and outcome.
func collected() *umpire.Client {
	out, err := os.Create(os.Getenv("UMPIRE_TEST_EVENTS"))
	if err != nil {
		log.Fatalf("cannot note events: %v", err)
	}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				log.Fatalf("cannot read a batch: %v", err)
			}
			body = z
		}
		var batch struct{ Events []umpire.Event }
		if err := json.NewDecoder(body).Decode(&batch); err != nil {
			log.Fatalf("cannot read a batch: %v", err)
		}
		for _, e := range batch.Events {
			fmt.Fprintln(out, e.Kind, e.Outcome)
		}
		_ = json.NewEncoder(w).Encode(map[string]int{"accepted": len(batch.Events)})
	}))
	return umpire.New(umpire.Options{
		Endpoint: collector.URL, Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: 10 * time.Millisecond,
	})
}
