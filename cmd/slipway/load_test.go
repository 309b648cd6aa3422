package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The test binary is also the load on a host and the floor beneath it, as processes
// of their own.
const (
	envLoad  = "SLIPWAY_BENCH_LOAD"  // a JSON load
	envFloor = "SLIPWAY_BENCH_FLOOR" // a SQLite file
)

// load is one kind of request, sent again and again.
type load struct {
	Address  string // host:port
	Method   string
	Target   string
	Token    string
	Body     string
	Duration time.Duration
}

const connections = 16

// run sends requests on all connections and prints how many were answered per
// second. It reads no more of an answer than it must: the load shares the machine
// with what it measures.
func (l load) run(out io.Writer) error {
	var request bytes.Buffer
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", l.Method, l.Target, l.Address, l.Token)
	if l.Body != "" {
		fmt.Fprintf(&request, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(l.Body))
	}
	request.WriteString("\r\n" + l.Body)
	var answered atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, connections)
	start := time.Now()
	for range connections {
		group.Go(func() {
			if err := l.connection(request.Bytes(), start.Add(l.Duration), &answered); err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	fmt.Fprintf(out, "%.0f\n", float64(answered.Load())/time.Since(start).Seconds())
	return nil
}

func (l load) connection(request []byte, end time.Time, answered *atomic.Int64) error {
	conn, err := net.Dial("tcp", l.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 16<<10)
	for time.Now().Before(end) {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		if err := skipAnswer(in); err != nil {
			return fmt.Errorf("%s %s: %w", l.Method, l.Target, err)
		}
		answered.Add(1)
	}
	return nil
}

// skipAnswer reads one answer, which must be a 200 of known length.
func skipAnswer(in *bufio.Reader) error {
	status, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200")) {
		return fmt.Errorf("answered %q", status)
	}
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("an answer without a length")
	}
	_, err = in.Discard(length)
	return err
}

// floor serves what a host serves with as little as it can be done with: the standard
// mux, one prepared statement for each request, no authentication, no log.
func floor(file string, out io.Writer) error {
	options := "?_pragma=busy_timeout(10000)&_pragma=synchronous(NORMAL)&_pragma=journal_mode(WAL)"
	open := func(connections int) (*sql.DB, error) {
		db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file}).String()+options)
		if err == nil {
			db.SetMaxOpenConns(connections)
			db.SetMaxIdleConns(connections)
		}
		return db, err
	}
	read, err := open(4)
	if err != nil {
		return err
	}
	write, err := open(1)
	if err != nil {
		return err
	}
	list, err := read.Prepare("SELECT uid, name, rotation FROM playlists WHERE org_id = 1 ORDER BY name, uid LIMIT 20")
	if err != nil {
		return err
	}
	one, err := read.Prepare(`SELECT p.uid, p.name, p.rotation, i.id, i.type, i.value, i.position, i.title
		FROM playlists p JOIN playlist_items i ON i.playlist_id = p.id WHERE p.org_id = 1 AND p.uid = $1 ORDER BY i.position`)
	if err != nil {
		return err
	}
	insert, err := write.Prepare("INSERT INTO playlists (org_id, uid, name, name_folded, rotation) VALUES (1, lower(hex(randomblob(10))), $1, $1, $2)")
	if err != nil {
		return err
	}
	type item struct {
		ID                 int64
		Type, Value, Title string
		Order              int
	}
	type playlist struct {
		UID      string `json:"uid"`
		Name     string `json:"name"`
		Interval string `json:"interval"`
		Items    []item `json:"items,omitempty"`
	}
	answer := func(w http.ResponseWriter, v any, err error) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		text, _ := json.Marshal(v)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/playlists", func(w http.ResponseWriter, r *http.Request) {
		rows, err := list.QueryContext(r.Context())
		if err != nil {
			answer(w, nil, err)
			return
		}
		defer rows.Close()
		var all []playlist
		for rows.Next() {
			var p playlist
			if err = rows.Scan(&p.UID, &p.Name, &p.Interval); err != nil {
				break
			}
			all = append(all, p)
		}
		answer(w, all, errors.Join(err, rows.Err()))
	})
	mux.HandleFunc("GET /api/playlists/{uid}", func(w http.ResponseWriter, r *http.Request) {
		rows, err := one.QueryContext(r.Context(), r.PathValue("uid"))
		if err != nil {
			answer(w, nil, err)
			return
		}
		defer rows.Close()
		var p playlist
		for rows.Next() {
			var i item
			if err = rows.Scan(&p.UID, &p.Name, &p.Interval, &i.ID, &i.Type, &i.Value, &i.Order, &i.Title); err != nil {
				break
			}
			p.Items = append(p.Items, i)
		}
		answer(w, p, errors.Join(err, rows.Err()))
	})
	mux.HandleFunc("POST /api/playlists", func(w http.ResponseWriter, r *http.Request) {
		var p playlist
		err := json.NewDecoder(r.Body).Decode(&p)
		if err == nil {
			_, err = insert.ExecContext(r.Context(), p.Name, p.Interval)
		}
		answer(w, p, err)
	})
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "floor is at http://%s\n", listener.Addr())
	return http.Serve(listener, mux)
}

// doubles runs the test binary as what its environment asks for; false if that is the
// tests.
func doubles() bool {
	var err error
	switch file, text := os.Getenv(envFloor), os.Getenv(envLoad); {
	case file != "":
		err = floor(file, os.Stdout)
	case text != "":
		var l load
		if err = json.NewDecoder(strings.NewReader(text)).Decode(&l); err == nil {
			err = l.run(os.Stdout)
		}
	default:
		return false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}
