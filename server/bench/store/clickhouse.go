package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clickhouse is the table of ingest and questions with ClickHouse as the store. The
// engine is another process on the same two cores.
func (b *bench) clickhouse(ctx context.Context) error {
	dir, remove, err := b.temporary()
	if err != nil {
		return err
	}
	defer remove()
	folder := filepath.Join(dir, "clickhouse")
	address, engine, err := b.startEngine(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Process.Kill(); _ = engine.Wait() }()
	s, err := b.newServer(filepath.Join(dir, "data"), "clickhouse://"+address+"/bench")
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.start(ctx); err != nil {
		return err
	}
	const suffix = ", ClickHouse"
	stored, err := b.throughput(ctx, s, suffix)
	if err != nil {
		return err
	}
	if err := b.steady(ctx, s, suffix); err != nil {
		return err
	}
	if err := s.caughtUp(ctx, 0); err != nil {
		return err
	}
	if n, err := resident(engine.Process.Pid); err == nil {
		b.table.add("resident memory of the engine"+suffix, "", "", []float64{float64(n)}, mega)
	}
	s.Until, s.Events = time.Now().UTC().Truncate(time.Hour).Add(time.Hour), stored
	names, err := s.names(ctx)
	if err != nil {
		return err
	}
	if err := b.warm(ctx, s, names, "warm"+suffix, func(q question) string { return q.floor }, b.Rounds); err != nil {
		return err
	}
	if b.Under > 0 {
		if err := b.underIngest(ctx, s, names, suffix); err != nil {
			return err
		}
	} else if err := s.terminate(); err != nil {
		return err
	}
	return b.cold(ctx, s, names, func() error { return dropCache(folder) }, suffix)
}

// startEngine starts the program of make engine, which ends with this one: it reads
// its pipe.
func (b *bench) startEngine(ctx context.Context, folder string) (address string, cmd *exec.Cmd, err error) {
	cmd = exec.CommandContext(ctx, b.Engine, "-path", folder)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("cannot start the engine; run `make engine`: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", cmd, fmt.Errorf("the engine does not start: %w", err)
	}
	address, version, _ := strings.Cut(strings.TrimSpace(line), " ")
	fmt.Fprintln(os.Stderr, "engine=ClickHouse", version)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/", strings.NewReader("CREATE DATABASE bench"))
	if err != nil {
		return "", cmd, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", cmd, err
	}
	return address, cmd, resp.Body.Close()
}
