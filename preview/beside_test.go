package preview

import (
	"strings"
	"testing"
)

// The first of several previews shows all, and only it may frame them, besides the console.
func TestBeside(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if got := f.do("GET", "/-/beside", ""); got.Code != 404 {
		t.Errorf("a single preview answers %d", got.Code)
	}
	f.Sides = []Side{{"12.4", f.Origin}, {"13.2", "http://localhost:4001"}}
	got := f.do("GET", "/-/beside", "")
	policy := got.Header().Get("Content-Security-Policy")
	if body := got.Body.String(); got.Code != 200 || strings.Contains(body, token) ||
		!strings.Contains(body, `<iframe title="13.2" data-origin="http://localhost:4001">`) {
		t.Errorf("%d %s", got.Code, body)
	}
	if !strings.HasSuffix(policy, "frame-ancestors 'none'; frame-src http://localhost:4000 http://localhost:4001") {
		t.Error(policy)
	}
	f.Sides[0], f.Sides[1] = f.Sides[1], f.Sides[0]
	if got := f.do("GET", "/-/beside", ""); got.Code != 404 {
		t.Errorf("the second preview answers %d", got.Code)
	}
	policy = f.do("GET", "/", "").Header().Get("Content-Security-Policy")
	if !strings.HasSuffix(policy, "frame-ancestors http://127.0.0.1:3000 http://localhost:4001") {
		t.Error(policy)
	}
}
