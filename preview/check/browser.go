package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-sourcemap/sourcemap"
)

// ErrNoBrowser is the error without a browser.
var ErrNoBrowser = errors.New("no Chromium or Chrome found: install one; the check opens each view in it")

const (
	width, height = 1280, 900
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

// open starts a browser, without its sandbox where the system lacks that: what runs is the author's own plugin.
func open(ctx context.Context) (browser context.Context, stop func(), err error) {
	shared := append(chromedp.DefaultExecAllocatorOptions[:],
		// Pages that are kept to go back to hold their streams, and a browser opens six connections to an origin.
		chromedp.Flag("disable-back-forward-cache", true),
		// Frames come as the page asks for them; else one comes a second, as virtual time leaves the browser none to wait for.
		chromedp.Flag("run-all-compositor-stages-before-draw", true))
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
		_, err = cdp.Call(ctx, t, debugger.Enable, debugger.EnableParams{}) // a page that computes without end does not answer later
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

// errRestless is the error for a page that does not come to rest.
var errRestless = errors.New("the page did not come to rest")

// errUnpictured is the error for a page at rest of which the browser takes no picture.
var errUnpictured = errors.New("the browser took no picture")

// settle opens a page, and waits until its time is over.
func settle(ctx context.Context, address string, patience time.Duration) error {
	isReady := chromedp.Evaluate[bool]("window.__preview?.ready.then(() => { window.__preview.isReady = true }), window.__preview?.isReady === true")
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := chromedp.Run(patient, call(page.Navigate, page.NavigateParams{URL: address}))
	whileIdle := emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyPauseIfNetworkFetchesPending}
	left := allowance
	ready := false
	for ; err == nil && !ready && left > step; left -= step {
		if err = pass(patient, whileIdle, step); err == nil {
			ready, err = chromedp.Run(patient, isReady)
		}
		time.Sleep(pause)
	}
	if err == nil {
		err = pass(patient, whileIdle, left)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		// A stream has no end, and a loop leaves no idle moment.
		err = pass(ctx, emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyAdvance,
			MaxVirtualTimeTaskStarvationCount: 10}, left)
	}
	if err == nil && !ready {
		ready, err = chromedp.Run(ctx, isReady)
	}
	if err == nil && !ready || errors.Is(err, context.DeadlineExceeded) {
		return errRestless
	}
	return err
}

// show opens a view, waits until it has come to rest, and returns its picture and its report, as far as there are any.
func show(browser context.Context, address string, patience time.Duration) (picture []byte, seen string, err error) {
	tab, closeTab := chromedp.NewContext(browser, chromedp.WithNewWindow(false)) // the bars of a window cost as much as a view
	defer closeTab()
	run := &scripts{urls: map[cdp.ScriptID]string{}}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(width, height), chromedp.Func(prepare)); err != nil {
		return nil, "", err
	}
	if err := chromedp.Listen(tab, run.add); err != nil {
		return nil, "", err
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(tab, patience+patience/2)
	defer cancel()
	err = settle(ctx, address, patience)
	if err == nil || errors.Is(err, errRestless) {
		last, cancel := context.WithTimeout(tab, patience/4)
		defer cancel()
		seen, _ = chromedp.Run(last, chromedp.Evaluate[string]("JSON.stringify(window.__preview?.report?.() ?? null)"))
	}
	if errors.Is(err, errRestless) {
		if loop := interrupt(tab, run); loop != "" {
			err = fmt.Errorf("the page does not come to rest: after %.0fs, %s still runs", time.Since(begun).Seconds(), loop)
		}
	}
	last, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	picture, pictureErr := chromedp.Run(last, chromedp.CaptureScreenshot()) // also of a page that does not come to rest
	if err == nil && pictureErr != nil {
		err = fmt.Errorf("%w: %w", errUnpictured, pictureErr)
	}
	return picture, seen, err
}

// scripts are the addresses of the scripts of plugins that a tab has run.
type scripts struct {
	mu   sync.Mutex
	urls map[cdp.ScriptID]string
}

func (s *scripts) add(ev any) {
	if parsed, ok := ev.(*debugger.EventScriptParsed); ok && strings.Contains(parsed.URL, "/public/plugins/") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.urls[parsed.ScriptID] = parsed.URL
	}
}

// innermost returns the innermost frame that is in a plugin: its script, and its line and column there.
func (s *scripts) innermost(frames []*debugger.CallFrame) (at position, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, frame := range frames {
		if url := s.urls[frame.FunctionLocation.ScriptID]; url != "" {
			return position{url, int(frame.FunctionLocation.LineNumber), int(*frame.FunctionLocation.ColumnNumber)}, true
		}
	}
	return at, false
}

// position is the place of a function, from 0.
type position struct {
	url          string
	line, column int
}

// String returns the place in the author's sources, if the script has a source map.
func (p position) String() string {
	if response, err := http.Get(p.url + ".map"); err == nil {
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if sources, parseErr := sourcemap.Parse("", text); err == nil && parseErr == nil {
			if file, _, line, _, ok := sources.Source(p.line+1, p.column); ok {
				_, file, _ = strings.Cut(file, "/.") // after webpack://, and the name of the package
				return fmt.Sprintf("%s:%d", path.Join("src", "."+file), line)
			}
		}
	}
	return fmt.Sprintf("%s:%d:%d", p.url, p.line+1, p.column+1)
}

const (
	looks = 30 // at the stack of a page that runs without end
	look  = time.Second
)

// interrupt ends what a page computes, for its picture, and returns the plugin's function that runs most often, or "".
func interrupt(tab context.Context, run *scripts) string {
	seen := map[position]int{}
	for range looks {
		ctx, cancel := context.WithTimeout(tab, look)
		paused, err := chromedp.Run(ctx, chromedp.WaitEvent(debugger.Paused, nil, call(debugger.Pause, cdp.Empty{})))
		if err == nil {
			if at, ok := run.innermost(paused.CallFrames); ok {
				seen[at]++
			}
			_, err = chromedp.Run(ctx, call(debugger.Resume, debugger.ResumeParams{}))
		}
		cancel()
		if err != nil {
			break // nothing runs
		}
	}
	ctx, cancel := context.WithTimeout(tab, look)
	defer cancel()
	// Of a page that answers to neither, there is perhaps a picture all the same.
	_, _ = chromedp.Run(ctx, call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	_, _ = chromedp.Run(ctx, call(runtime.TerminateExecution, cdp.Empty{}))
	_, _ = chromedp.Run(ctx, call(debugger.Disable, cdp.Empty{}))
	if len(seen) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(seen)), func(a, b position) int { return seen[a] - seen[b] }).String()
}

// call is a command as an action.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[R] {
	return func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) }
}
