package bench

import (
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
	"testing"
)

// envFloor is the environment variable that makes the test executable run the minimal
// server on the SQLite file that it names.
const envFloor = "SLIPWAY_BENCH_FLOOR"

func TestMain(m *testing.M) {
	if file := os.Getenv(envFloor); file != "" {
		fmt.Fprintln(os.Stderr, floor(file, os.Stdout))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// floor serves playlists with as little code as possible: the mux of net/http and one
// prepared statement per request, without authentication or logging.
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
	respond := func(w http.ResponseWriter, v any, err error) {
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
			respond(w, nil, err)
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
		respond(w, all, errors.Join(err, rows.Err()))
	})
	mux.HandleFunc("GET /api/playlists/{uid}", func(w http.ResponseWriter, r *http.Request) {
		rows, err := one.QueryContext(r.Context(), r.PathValue("uid"))
		if err != nil {
			respond(w, nil, err)
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
		respond(w, p, errors.Join(err, rows.Err()))
	})
	mux.HandleFunc("POST /api/playlists", func(w http.ResponseWriter, r *http.Request) {
		var p playlist
		err := json.NewDecoder(r.Body).Decode(&p)
		if err == nil {
			_, err = insert.ExecContext(r.Context(), p.Name, p.Interval)
		}
		respond(w, p, err)
	})
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on http://%s\n", listener.Addr())
	return http.Serve(listener, mux)
}
