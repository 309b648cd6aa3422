package store_test

import (
	"bufio"
	"database/sql"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// Acknowledged writes survive the death of the process, and the file is not damaged.
func TestKill(t *testing.T) {
	t.Parallel()
	if onPostgres() {
		t.Skip("needs SQLite")
	}
	const kills = 50
	file := filepath.Join(t.TempDir(), "slipway.db")
	acknowledged := map[string]bool{}
	for range kills {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envWriter+"="+file)
		cmd.Stderr = os.Stderr
		out := testkit.Must(cmd.StdoutPipe())(t)
		testkit.OK(t, cmd.Start())
		lines := bufio.NewScanner(out)
		isArmed := false
		for lines.Scan() {
			acknowledged[lines.Text()] = true
			if !isArmed { // kill it while it writes
				isArmed = true
				time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			}
		}
		if err := cmd.Wait(); err == nil || !isArmed {
			t.Fatalf("the writer exited: %v", err)
		}
		check(t, file)
	}
	s := testkit.Must(store.Open(t.Context(), store.Options{Database: file}))(t)
	defer s.Close()
	for uid := range acknowledged {
		if p, err := s.Playlist(t.Context(), org, uid); err != nil || len(p.Items) != 2 {
			t.Errorf("acknowledged playlist %s: %+v, %v", uid, p, err)
		}
	}
	t.Logf("%d kills, %d acknowledged writes", kills, len(acknowledged))
	if len(acknowledged) < kills {
		t.Errorf("only %d writes", len(acknowledged))
	}
}

// check runs the integrity check of SQLite.
func check(t *testing.T, file string) {
	t.Helper()
	db := testkit.Must(sql.Open("sqlite", file))(t)
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity_check: %q, %v", verdict, err)
	}
}
