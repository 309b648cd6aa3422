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

	"github.com/slipway-dev/slipway/internal/wire/rendererpb"
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
	c := rendererpb.NewRendererClient(sdktest.Start(t, renderer.Plugin(bars{})).Conn())
	dir := t.TempDir()
	header := map[string]*rendererpb.StringList{"accept-language": {Values: []string{"de"}}}
	render := func(width, height int32, key string) error {
		out, err := c.Render(t.Context(), &rendererpb.RenderRequest{
			Url: page.URL, Width: width, Height: height, DeviceScaleFactor: 2, FilePath: filepath.Join(dir, "page.png"), RenderKey: key,
			Domain: "127.0.0.1", Timeout: 2, Timezone: "Europe/Berlin", Headers: header,
		})
		if err == nil && out.GetError() != "" {
			err = errors.New(out.GetError())
		}
		return err
	}
	for height, want := range map[int32]int{50: 100, -1: 24} {
		if err := render(100, height, "the-key"); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(filepath.Join(dir, "page.png"))
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
	table := filepath.Join(dir, "page.csv")
	out, err := c.RenderCSV(t.Context(), &rendererpb.RenderCSVRequest{Url: page.URL, FilePath: table, RenderKey: "the-key", Headers: header})
	text, readErr := os.ReadFile(table)
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	if got, want := out.GetFileName()+": "+string(text), "lines.csv: 1,6\n2,16\n3,7\n"; got != want || out.GetError() != "" {
		t.Errorf("got %q, want %q; %s", got, want, out.GetError())
	}
	for want, err := range map[string]error{"401": render(1, 1, "guessed"), "invalid image": render(1<<30, 1<<30, "the-key")} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".rendering-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
}
