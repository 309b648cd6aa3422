package main

import (
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/renderer"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

func TestRenderer(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key, err := r.Cookie("renderKey"); err != nil || key.Value != "the-key" || r.Header.Get("Accept-Language") != "de" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, "<html>\n<p>Guten Tag</p>\n</html>\n")
	}))
	t.Cleanup(page.Close)
	k := sdktest.Start(t, renderer.Plugin(bars{}))
	c := backend.NewRenderer(k.Conn())
	dir := t.TempDir()
	what := renderer.Page{
		URL: page.URL, FilePath: filepath.Join(dir, "page.png"), RenderKey: "the-key", Domain: "127.0.0.1",
		Timeout: 1500 * time.Millisecond, Timezone: "Europe/Berlin", Header: http.Header{"Accept-Language": {"de"}},
	}
	for height, want := range map[int]int{50: 100, -1: 24} {
		if err := c.Render(t.Context(), &renderer.Request{Page: what, Width: 100, Height: height, DeviceScaleFactor: 2}); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(what.FilePath)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != 200 || b.Dy() != want {
			t.Errorf("the bounds of the image are %s", b)
		}
		if dark, _, _, _ := img.At(10, 4).RGBA(); dark != 64*257 {
			t.Errorf("missing bar: got the color %d", dark)
		}
	}
	what.FilePath = filepath.Join(dir, "page.csv")
	name, err := c.RenderCSV(t.Context(), &renderer.CSVRequest{Page: what})
	text, readErr := os.ReadFile(what.FilePath)
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	if got, want := name+": "+string(text), "lines.csv: 1,6\n2,16\n3,7\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	what.RenderKey = "guessed"
	for want, err := range map[string]error{
		"401":           c.Render(t.Context(), &renderer.Request{Page: what, Width: 1, Height: 1}),
		"invalid image": c.Render(t.Context(), &renderer.Request{Page: what, Width: 1 << 30, Height: 1 << 30}),
	} {
		if e, ok := errors.AsType[*sdk.Error](err); !ok || !strings.Contains(e.Message, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".rendering-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
}
