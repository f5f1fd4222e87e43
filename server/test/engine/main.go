package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("engine: ")
	lib := flag.String("lib", beside("libchdb.so"), "the library")
	path := flag.String("path", "", "the folder of the data, absolute; by default one that goes with the process")
	listen := flag.String("listen", "127.0.0.1:0", "the address")
	statements := flag.Int("statements", 6, "how many statements run at once")
	flag.Parse()
	if err := serve(*lib, *path, *listen, *statements); err != nil {
		log.Fatal(err)
	}
}

func serve(lib, path, listen string, statements int) error {
	os.Setenv("TZ", "UTC") //nolint:errcheck // it is a valid name
	end := func() { os.Exit(0) }
	if path == "" {
		folder, err := os.MkdirTemp("", "umpire-engine-")
		if err != nil {
			return err
		}
		path, end = folder, func() { os.RemoveAll(folder); os.Exit(0) } //nolint:errcheck // it is a temporary folder
	} else if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is no absolute path", path) // the engine cannot sync others
	}
	if err := load(lib); err != nil {
		return err
	}
	f, err := open(path, statements)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w", listen, err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	fmt.Println(listener.Addr(), f.version) //nolint:forbidigo // it is for whoever started it
	server := &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// beside is the path of a file beside this executable.
func beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}
