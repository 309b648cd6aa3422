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
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/preview"
)

// Options configure Run.
type Options struct {
	Sides    []preview.Side // the previews, each with its version of the libraries; pictures of several are kept apart
	Token    string         // of all
	Views    []preview.View
	Pictures string // directory of the pictures that the repository keeps
	Update   bool   // replace them
	Out      string // directory of the report, which is replaced
	Patience time.Duration
	Each     func(Result) // takes each result as soon as it is there; may be nil
}

// Result is what a view showed.
type Result struct {
	preview.View
	With     string          `json:"with"` // version of the libraries; "" unless there are several
	Only     []string        `json:"only"` // problems and notes that other versions do not have
	Problems []string        `json:"problems"`
	Notes    []string        `json:"notes"` // what does not fail
	Picture  string          `json:"picture"`
	Kept     string          `json:"kept"`   // picture, copied into the report; "" if there is none
	Marked   string          `json:"marked"` // picture of the difference; "" unless there is one
	Seconds  float64         `json:"seconds"`
	Report   json.RawMessage `json:"report"`
}

// Title names the view, and the version if there are several.
func (r Result) Title() string {
	if r.With == "" {
		return r.Name
	}
	return r.Name + ", with " + r.With
}

// ErrNoBrowser is the error without a browser.
var ErrNoBrowser = errors.New("no Chromium or Chrome found: install one; the check opens each view in it")

const (
	width, height = 1280, 900
	picturesDir   = "pictures"
	// patience is how long a view may take to come to rest, before its time goes on in spite of its calls.
	patience = 20 * time.Second
)

// Pages run in virtual time, which stands still while they compute or load, and jumps from one timer to the next. It begins
// at noon and stops for the picture, so that clocks and animations are drawn the same at each time.
const (
	noon      = 1768478400            // of 2026-01-15, UTC
	allowance = 30_000.0              // virtual time of a view, in milliseconds: more than a page takes to give up what it waits for
	step      = 50.0                  // of it, while the page comes to rest
	pause     = 20 * time.Millisecond // after each step, for what the browser does that is neither a call nor a timer
)

// steady makes what a page draws by chance the same at each time.
const steady = `(() => {
  let seed = 1;
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
})()`

// HasBrowser reports whether a browser is there, or ErrNoBrowser.
func HasBrowser(ctx context.Context) error {
	_, stop, err := open(ctx)
	if err == nil {
		stop()
	}
	return err
}

// Run opens the views one after the other, and writes the report.
func Run(ctx context.Context, o Options) ([]Result, error) {
	if o.Patience == 0 {
		o.Patience = patience
	}
	if err := beginReport(o.Out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	browser, stop, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	var results []Result
	named := map[string]int{}
	for _, view := range o.Views {
		first := len(results)
		name := fileName(view.Name)
		if named[name]++; named[name] > 1 {
			name += fmt.Sprintf("-%d", named[name])
		}
		for _, side := range o.Sides {
			r := Result{View: view, With: side.With, Problems: []string{}, Notes: []string{}}
			begun := time.Now()
			picture, err := show(browser, o, side, &r)
			r.Seconds = time.Since(begun).Seconds()
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				r.Problems = append(r.Problems, err.Error())
			}
			if err := o.keep(&r, path.Join(r.With, name+".png"), picture); err != nil {
				return nil, err
			}
			results = append(results, r)
			if o.Each != nil {
				o.Each(r)
			}
		}
		distinguish(results[first:])
	}
	return results, write(o.Out, results)
}

// errOtherFiles is the error for a report in a directory that has other files.
var errOtherFiles = errors.New("the directory has files, and none is the report.json of an earlier check")

// CheckOut reports whether a report can replace what a directory has: nothing, or an earlier report.
func CheckOut(dir string) error {
	if _, err := tree.Destination(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	isReport := func(e os.DirEntry) bool { return e.Name() == reportFile }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, isReport):
		return fmt.Errorf("%s: %w", dir, errOtherFiles)
	}
	return err
}

// beginReport replaces an earlier report by one without views, in case that the check is interrupted.
func beginReport(dir string) error {
	if err := CheckOut(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, old := range []string{picturesDir, "kept", "marked"} {
		if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
			return err
		}
	}
	return write(dir, nil)
}

// open starts the browser. Its sandbox needs features of the system that containers lack: what runs
// is the author's own plugin, so the check goes on without it.
func open(ctx context.Context) (browser context.Context, stop func(), err error) {
	// Pages that are kept to go back to hold their streams, and a browser opens six connections to an origin.
	shared := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("disable-back-forward-cache", true))
	for _, options := range [][]chromedp.ExecAllocatorOption{nil, {chromedp.NoSandbox}} {
		allocator, free := chromedp.NewExecAllocator(ctx, append(shared, options...)...)
		browser, closeBrowser := chromedp.NewContext(allocator)
		stop = func() { closeBrowser(); free() }
		err = chromedp.Do(browser)
		if err == nil {
			return browser, stop, nil
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

// prepare sets up a tab that has been opened, before it shows a page. Time stands still.
func prepare(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	if err == nil {
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	}
	if err == nil {
		_, err = cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: steady})
	}
	if err == nil {
		_, err = cdp.Call(ctx, t, emulation.SetVirtualTimePolicy, emulation.SetVirtualTimePolicyParams{
			Policy: emulation.VirtualTimePolicyPause, InitialVirtualTime: noon})
	}
	return err
}

// pass lets so many milliseconds of virtual time pass.
func pass(ctx context.Context, policy emulation.SetVirtualTimePolicyParams, milliseconds float64) error {
	policy.Budget = &milliseconds
	_, err := chromedp.Run(ctx, chromedp.WaitEvent(emulation.VirtualTimeBudgetExpired, nil,
		func(ctx context.Context, t *chromedp.Target) (emulation.SetVirtualTimePolicyResult, error) {
			return cdp.Call(ctx, t, emulation.SetVirtualTimePolicy, policy)
		}))
	return err
}

// settle opens a page, and waits until its time is over.
func settle(ctx context.Context, address string, patience time.Duration) error {
	const isReady = "window.__preview?.ready.then(() => { window.__preview.isReady = true }), window.__preview?.isReady === true"
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := chromedp.Run(patient, func(ctx context.Context, t *chromedp.Target) (page.NavigateResult, error) {
		return cdp.Call(ctx, t, page.Navigate, page.NavigateParams{URL: address})
	})
	whileIdle := emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyPauseIfNetworkFetchesPending}
	left := allowance
	for ready := false; err == nil && !ready && left > step; left -= step {
		if err = pass(patient, whileIdle, step); err == nil {
			ready, err = chromedp.Run(patient, chromedp.Evaluate[bool](isReady))
		}
		time.Sleep(pause)
	}
	if err == nil {
		err = pass(patient, whileIdle, left)
	}
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	// A stream has no end, and a loop leaves no idle moment.
	return pass(ctx, emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyAdvance,
		MaxVirtualTimeTaskStarvationCount: 10}, left)
}

// show opens a view, waits until it has come to rest, and returns its picture.
func show(browser context.Context, o Options, side preview.Side, r *Result) (picture []byte, err error) {
	tab, closeTab := chromedp.NewContext(browser)
	defer closeTab()
	ctx, cancel := context.WithTimeout(tab, 2*o.Patience)
	defer cancel()
	if err := chromedp.Do(tab, chromedp.EmulateViewport(width, height), chromedp.Func(prepare)); err != nil {
		return nil, err
	}
	var seen string
	if err = settle(ctx, side.Origin+r.Path+"#token="+o.Token, o.Patience); err == nil {
		seen, err = chromedp.Run(ctx, chromedp.Evaluate[string]("JSON.stringify(window.__preview?.report?.() ?? null)"))
	}
	last, cancel := context.WithTimeout(tab, o.Patience)
	defer cancel()
	picture, pictureErr := chromedp.Run(last, chromedp.CaptureScreenshot()) // also of a page that does not come to rest
	switch {
	case errors.Is(err, context.DeadlineExceeded), err == nil && seen == "null":
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
	if err := writeFile(o.Out, r.Picture, picture); err != nil {
		return err
	}
	file := filepath.Join(o.Pictures, name)
	kept, err := os.ReadFile(file)
	if o.Update {
		if difference, _, err := compare(kept, picture); err == nil && difference <= tolerance {
			return nil // of two that look the same, the older one
		}
		return writeFile(filepath.Dir(o.Pictures), filepath.Join(filepath.Base(o.Pictures), name), picture)
	}
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(o.Pictures); err == nil {
			r.Notes = append(r.Notes, "new: the repository keeps no picture of this view; the option update does")
		}
		return nil
	}
	if err != nil {
		return err
	}
	r.Kept = "kept/" + name
	if err := writeFile(o.Out, r.Kept, kept); err != nil {
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
	r.Marked = "marked/" + name
	return writeFile(o.Out, r.Marked, text.Bytes())
}

// writeFile writes a file of a directory, and refuses a symbolic link on the way to it.
func writeFile(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.WriteIn(root, name, 0o644, data)
}

// distinguish notes what the results of a view with several versions do not have in common.
func distinguish(results []Result) {
	of := map[string]int{}
	for _, r := range results {
		for _, text := range slices.Concat(r.Problems, r.Notes) {
			of[text]++
		}
	}
	for i, r := range results {
		for _, text := range slices.Concat(r.Problems, r.Notes) {
			if of[text] < len(results) {
				results[i].Only = append(results[i].Only, text)
			}
		}
	}
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
