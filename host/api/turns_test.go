package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
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
