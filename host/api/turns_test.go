package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// A caller waits for one request of another caller, however many that one sends, and a
// client that leaves gives up its place.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		take := func(ctx context.Context, caller string) func() {
			end, err := turns.take(ctx, caller)
			if err != nil {
				t.Error(err)
				return func() {}
			}
			return end
		}
		first := take(t.Context(), "attacker")
		var order []string
		for range 5 {
			go func() {
				end := take(t.Context(), "attacker")
				order = append(order, "attacker")
				end()
			}()
		}
		synctest.Wait()
		leaving, leave := context.WithCancel(t.Context())
		for _, caller := range []string{"attacker", "other"} { // one waits for its own turn, one for any
			go func() {
				if _, err := turns.take(leaving, caller); !errors.Is(err, context.Canceled) {
					t.Errorf("%s left: %v", caller, err)
				}
			}()
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		go func() {
			end := take(t.Context(), "other")
			order = append(order, "other")
			end()
		}()
		synctest.Wait()
		first()
		synctest.Wait()
		if len(order) != 6 || order[0] != "other" && order[1] != "other" {
			t.Errorf("order of the turns: %v", order)
		}
		if len(turns.callers.of) != 0 {
			t.Errorf("callers without a request are remembered: %v", turns.callers.of)
		}
	})
}

// A long page takes a turn, a short one does not.
func TestTurnsOfPages(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{"?limit=200": true, "?limit=201": false, "": false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBudgets(true)
			b.processors = newTurns(1)
			end, err := b.processors.take(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			h := call(func(context.Context, host.Identity, struct{ pageQuery }) (string, error) { return "list", nil })
			w := httptest.NewRecorder()
			go func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+query, nil)
				if err := h.serve(newResponse(w, b, time.Minute), r, host.Identity{}, http.StatusOK); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
			if got := w.Body.Len() > 0; got != want {
				t.Errorf("%q while others compute: sent %t, want %t", query, got, want)
			}
			end()
			synctest.Wait()
			if w.Body.Len() == 0 {
				t.Errorf("%q was not sent", query)
			}
		})
	}
}

// While a large response waits for the database, others may compute, unless reading the
// database computes as well.
func TestTurnsDuringReads(t *testing.T) {
	t.Parallel()
	for _, readsCompute := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBudgets(readsCompute)
			b.processors = newTurns(1)
			read := make(chan bool)
			isReading := false
			h := slow(func(context.Context, host.Identity, struct{}) (string, error) {
				isReading = true
				<-read
				return "dashboard", nil
			})
			w := httptest.NewRecorder()
			end, err := b.processors.take(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				if err := h.serve(newResponse(w, b, time.Minute), r, host.Identity{}, http.StatusOK); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
			if isReading == readsCompute {
				t.Errorf("while others compute, the database is read: %t, want %t", isReading, !readsCompute)
			}
			if !readsCompute {
				close(read)
				synctest.Wait()
			}
			if w.Body.Len() > 0 {
				t.Error("a response was encoded out of turn")
			}
			end()
			if readsCompute {
				close(read)
			}
			synctest.Wait()
			if got := w.Body.String(); got != `"dashboard"`+"\n" && got != `"dashboard"` {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A dashboard of a plugin, which can be large, is read in a turn.
func TestTurnsOfPluginDashboards(t *testing.T) {
	t.Parallel()
	b := bundle.Plugin{Dir: t.TempDir(), Metadata: &bundle.Metadata{ID: "acme-clock-app"}}
	if err := os.WriteFile(filepath.Join(b.Dir, "board.json"), []byte(`{"uid":"u","title":"Board"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		a := &API{budgets: newBudgets(true)}
		a.budgets.processors = newTurns(1)
		end, err := a.budgets.processors.take(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		var d host.Dashboard
		go func() {
			if d, err = a.dashboardIn(t.Context(), host.Identity{}, b, bundle.Include{Path: "board.json"}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if d.Title != "" {
			t.Error("a dashboard was read out of turn")
		}
		end()
		synctest.Wait()
		if d.Title != "Board" {
			t.Errorf("read: %+v", d)
		}
	})
}

// The inputs of a dashboard, which can make it large, are filled in a turn.
func TestTurnsOfImports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &API{budgets: newBudgets(true)}
		a.budgets.processors = newTurns(1)
		end, err := a.budgets.processors.take(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		body := importBody{Dashboard: []byte(`{"title":"Board","__inputs":[{"name":"A"}]}`)}
		var failed error
		go func() {
			_, failed = a.importDashboard(t.Context(), host.Identity{}, struct{ Body importBody }{body})
		}()
		synctest.Wait()
		if failed != nil {
			t.Errorf("inputs were filled out of turn: %v", failed)
		}
		end()
		synctest.Wait()
		if !errors.Is(failed, host.ErrInvalid) {
			t.Errorf("an input without a value: %v", failed)
		}
	})
}

// If the queue is full, a caller that holds no memory gets 503, not 429: the host is busy, not the caller.
func TestBusyWithFullQueue(t *testing.T) {
	t.Parallel()
	b := newBudgets(true).responses
	if !b.free.TryAcquire(b.size) || !b.queue.TryAcquire(b.size) {
		t.Fatal("the budget is not free")
	}
	s := b.share("caller")
	defer s.release()
	if err := s.grow(t.Context(), 1); !errors.Is(err, host.ErrBusy) {
		t.Errorf("got %v", err)
	}
}

// A client that leaves while its request waits for memory is not counted as refused.
func TestLeftWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*budgets) *budget{
		"bodies":    func(b *budgets) *budget { return b.bodies },
		"decoding":  func(b *budgets) *budget { return b.decoding },
		"responses": func(b *budgets) *budget { return b.responses },
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &API{budgets: newBudgets(true), log: slog.New(slog.DiscardHandler)}
			if b := of(a.budgets); !b.free.TryAcquire(b.size) {
				t.Fatal("the budget is not free")
			}
			ctx, leave := context.WithCancel(t.Context())
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(`{"pad":"`+strings.Repeat("x", 2*host.FreeBody)+`"}`))
			r.Header.Set("Content-Type", "application/json")
			go a.serve(func(w http.ResponseWriter, r *http.Request) error {
				var body struct{}
				if err := decode(w, r, &body); err != nil {
					return err
				}
				return send(r.Context(), w, http.StatusOK, make([]byte, 2*host.FreeResponse))
			}).ServeHTTP(newResponse(w, a.budgets, time.Minute), r)
			synctest.Wait()
			leave()
			synctest.Wait()
			if w.Code != statusClosed {
				t.Errorf("waiting for %s: status %d %s", name, w.Code, w.Body)
			}
		})
	}
}
