// Package check opens each view of a preview in a browser that is there, without a window, and
// reports what goes wrong: exceptions, names that the libraries do not have, and pictures that differ
// from those that the repository keeps.
package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/preview"
)

// Options configure Run.
type Options struct {
	Origin, Token string // of the preview
	Views         []preview.View
	Pictures      string // directory of the pictures that the repository keeps
	Update        bool   // replace them
	Out           string // directory of the report, which is replaced
	Patience      time.Duration
	Each          func(Result) // takes each result as soon as it is there; may be nil
}

// Result is what a view showed.
type Result struct {
	preview.View
	Problems []string        `json:"problems"`
	Notes    []string        `json:"notes"` // what does not fail
	Picture  string          `json:"picture"`
	Kept     string          `json:"kept"`   // picture, copied into the report; "" if there is none
	Marked   string          `json:"marked"` // picture of the difference; "" unless there is one
	Report   json.RawMessage `json:"report"`
}

// ErrNoBrowser is the error without a browser.
var ErrNoBrowser = errors.New("no Chromium or Chrome found: install one; the check opens each view in it")

const (
	width, height = 1280, 900
	picturesDir   = "pictures"
	// patience is how long a view may take to come to rest.
	patience = time.Minute
)

// steady makes a page draw the same at each time: its clock begins at the same instant, and what it
// draws by chance is the same.
const steady = `(() => {
  const shift = Date.UTC(2026, 0, 15, 12) - Date.now(), Real = Date;
  globalThis.Date = class extends Real {
    constructor(...args) { args.length ? super(...args) : super(Real.now() + shift); }
    static now() { return Real.now() + shift; }
  };
  let seed = 1;
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
})()`

// Run opens the views one after the other, and writes the report.
func Run(ctx context.Context, o Options) ([]Result, error) {
	if o.Patience == 0 {
		o.Patience = patience
	}
	if err := os.RemoveAll(filepath.Join(o.Out, picturesDir)); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(o.Out, picturesDir), 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	tab, stop, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	var results []Result
	named := map[string]int{}
	for _, view := range o.Views {
		r := Result{View: view, Problems: []string{}, Notes: []string{}}
		picture, err := show(tab, o, view, &r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Problems = append(r.Problems, err.Error())
		}
		name := fileName(view.Name)
		if named[name]++; named[name] > 1 {
			name += fmt.Sprintf("-%d", named[name])
		}
		if err := o.keep(&r, name+".png", picture); err != nil {
			return nil, err
		}
		results = append(results, r)
		if o.Each != nil {
			o.Each(r)
		}
	}
	return results, write(o.Out, results)
}

// open starts the browser. Its sandbox needs features of the system that containers lack: what runs
// is the author's own plugin, so the check goes on without it.
func open(ctx context.Context) (tab context.Context, stop func(), err error) {
	// Pages that are kept to go back to hold their streams, and a browser opens six connections to an origin.
	shared := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("disable-back-forward-cache", true))
	for _, options := range [][]chromedp.ExecAllocatorOption{nil, {chromedp.NoSandbox}} {
		allocator, free := chromedp.NewExecAllocator(ctx, append(shared, options...)...)
		tab, closeTab := chromedp.NewContext(allocator)
		stop = func() { closeTab(); free() }
		err = chromedp.Do(tab, chromedp.EmulateViewport(width, height), func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
			if err == nil {
				_, err = cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: steady})
			}
			return chromedp.Void{}, err
		})
		if err == nil {
			return tab, stop, nil
		}
		stop()
		if errors.Is(err, exec.ErrNotFound) {
			return nil, nil, ErrNoBrowser
		}
	}
	return nil, nil, fmt.Errorf("start the browser: %w", err)
}

// report is the part of what the page has seen that is checked.
type report struct {
	Missing []string
	Errors  []struct {
		Kind, Message, File string
		Line                int
	}
	Calls []struct {
		Method, Path string
		Refused      bool
	}
	Deprecations []string
	Awaited      []string
	Drawn        *float64
	Empty        bool
}

// show opens a view, waits until it has come to rest, and returns its picture.
func show(tab context.Context, o Options, view preview.View, r *Result) (picture []byte, err error) {
	ctx, cancel := context.WithTimeout(tab, o.Patience)
	defer cancel()
	const settled = `new Promise((resolve) => {
		const wait = () => window.__preview ? resolve(window.__preview.ready) : setTimeout(wait, 50);
		wait();
	})`
	var seen string
	err = chromedp.Do(ctx, chromedp.Navigate(o.Origin+view.Path+"#token="+o.Token))
	if err == nil {
		report := settled + ".then(() => JSON.stringify(window.__preview.report()))"
		seen, err = chromedp.Run(ctx, chromedp.Evaluate[string](report, chromedp.EvalAwaitPromise))
	}
	picture, pictureErr := chromedp.Run(tab, chromedp.CaptureScreenshot()) // also of a page that does not come to rest
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return picture, fmt.Errorf("the page did not come to rest within %s", o.Patience)
	case err != nil:
		return picture, err
	case pictureErr != nil:
		return nil, pictureErr
	}
	r.Report = json.RawMessage(seen)
	var read report
	if err := json.Unmarshal(r.Report, &read); err != nil {
		return picture, fmt.Errorf("read the report of the page: %w", err)
	}
	for _, e := range read.Errors {
		at := ""
		if e.File != "" {
			at = fmt.Sprintf(" (%s:%d)", e.File, e.Line)
		}
		r.Problems = append(r.Problems, e.Kind+": "+e.Message+at)
	}
	for _, name := range read.Missing {
		r.Problems = append(r.Problems, "the libraries have no "+name)
	}
	waited := ""
	if len(read.Awaited) > 0 {
		waited = "the page did not come to rest: it still waits for " + strings.Join(read.Awaited, ", ")
	}
	switch {
	case read.Drawn == nil:
		r.Problems = append(r.Problems, cmp.Or(waited, "nothing was drawn"))
	case waited != "":
		r.Notes = append(r.Notes, waited)
	case read.Empty:
		r.Notes = append(r.Notes, "the drawing is empty")
	}
	for _, c := range read.Calls {
		if c.Refused {
			r.Notes = append(r.Notes, c.Method+" "+c.Path+" is not available in the preview")
		}
	}
	for _, text := range read.Deprecations {
		r.Notes = append(r.Notes, "deprecated: "+text)
	}
	return picture, nil
}

// keep puts the picture into the report, and compares it with the one that the repository keeps.
func (o Options) keep(r *Result, name string, picture []byte) error {
	if picture == nil {
		return nil
	}
	r.Picture = picturesDir + "/" + name
	if err := os.WriteFile(filepath.Join(o.Out, picturesDir, name), picture, 0o644); err != nil {
		return err
	}
	file := filepath.Join(o.Pictures, name)
	kept, err := os.ReadFile(file)
	if o.Update {
		if difference, _, err := compare(kept, picture); err == nil && difference <= tolerance {
			return nil // of two that look the same, the older one
		}
		if err := os.MkdirAll(o.Pictures, 0o755); err != nil {
			return err
		}
		return atomicfile.Write(file, 0o644, func(w io.Writer) error {
			_, err := w.Write(picture)
			return err
		})
	}
	if errors.Is(err, os.ErrNotExist) {
		r.Notes = append(r.Notes, "the repository keeps no picture of this view")
		return nil
	}
	if err != nil {
		return err
	}
	r.Kept = picturesDir + "/kept-" + name
	if err := os.WriteFile(filepath.Join(o.Out, filepath.FromSlash(r.Kept)), kept, 0o644); err != nil {
		return err
	}
	difference, marked, err := compare(kept, picture)
	if err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", file, err))
		return nil
	}
	if difference <= tolerance {
		return nil
	}
	r.Problems = append(r.Problems, fmt.Sprintf("%.1f%% of what is drawn differs from %s/%s", 100*difference,
		filepath.Base(o.Pictures), name))
	var text bytes.Buffer
	if err := png.Encode(&text, marked); err != nil {
		return err
	}
	r.Marked = picturesDir + "/marked-" + name
	return os.WriteFile(filepath.Join(o.Out, filepath.FromSlash(r.Marked)), text.Bytes(), 0o644)
}

// fileName returns a name for the picture of a view that all systems accept.
func fileName(view string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return ' '
	}, strings.ToLower(view))
	clean = strings.Join(strings.Fields(clean), "-")
	return clean[:min(len(clean), 100)]
}
