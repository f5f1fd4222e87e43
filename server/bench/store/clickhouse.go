package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	if b.Copies > 0 {
		if err := b.copies(ctx, address, s.Until); err != nil {
			return err
		}
	}
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
	return address, cmd, ask(ctx, address, "CREATE DATABASE bench", nil)
}

// copies makes copies of every event that is stored, with ids and sessions of their own,
// in one block a day. They go through the views as events from the door do.
func (b *bench) copies(ctx context.Context, address string, until time.Time) error {
	const statement = `INSERT INTO event_rows SELECT e.* REPLACE (
  toFixedString(concat(substring(MD5(concat(e.id, toString(copy))), 1, 6), substring(e.id, 7, 1), substring(MD5(concat(e.id, toString(copy))), 8, 9)), 16) AS id,
  if(e.session = '', '', concat(e.session, '~', toString(copy))) AS session, cityHash64(e.version, copy) AS version, 'copies' AS node)
FROM (SELECT * FROM event_rows FINAL WHERE sign = 1 AND node <> 'copies' AND toYYYYMMDD(started_at) = %s) AS e CROSS JOIN (SELECT number AS copy FROM numbers(%d)) AS c`
	settings := url.Values{
		"database": {"bench"}, "insert_deduplicate": {"0"}, "join_use_nulls": {"1"}, "prefer_column_name_to_alias": {"1"}, "cast_keep_nullable": {"1"},
		"compile_aggregate_expressions": {"0"}, "max_insert_threads": {"1"}, "min_insert_block_size_rows": {"1000000"}, "min_insert_block_size_bytes": {"4000000000"},
	}
	for day := until.AddDate(0, 0, -ring-1); !day.After(until.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		if err := ask(ctx, address, fmt.Sprintf(statement, day.Format("20060102"), b.Copies), settings); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a statement to the engine.
func ask(ctx context.Context, address, statement string, settings url.Values) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/?"+settings.Encode(), strings.NewReader(statement))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("the engine answers %s: %s", resp.Status, text)
	}
	return nil
}
