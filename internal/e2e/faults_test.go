//go:build e2e && unix

package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// previewed is a panel in a running "slipway preview", and a browser.
type previewed struct {
	*consoleTest
	link, console string // of the preview with its token, and of the host
}

const previewedID = "acme-seen-panel"

// startPreview runs "slipway preview" or "slipway dev" of a scaffolded panel with files in src that replace those of the scaffold.
func startPreview(t *testing.T, verb string, files map[string]string) *previewed {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	dir := t.TempDir()
	p := &previewed{consoleTest: &consoleTest{t: t, slipway: slipwayCommand(t), repo: filepath.Join(dir, previewedID),
		screenshots: os.Getenv("SLIPWAY_SCREENSHOTS")}}
	run(t, 0, dir, p.slipway, "scaffold", "panel", previewedID)
	for name, text := range files {
		p.write(t, name, text)
	}
	printed, stop := p.launch(t, "preview", "--with=12.4", "--listen=127.0.0.1:0") // which downloads, as dev does not
	if verb == "dev" {
		stop()
		pinned := regexp.MustCompile(`"@grafana/(\w+)": "[^"]*"`)
		manifest := readFile(t, filepath.Join(p.repo, "package.json"))
		write(t, filepath.Join(p.repo, "package.json"), pinned.ReplaceAllString(string(manifest), `"@grafana/$1": "~12.4.0"`))
		printed, stop = p.launch(t, "dev", "--data-dir="+filepath.Join(dir, "data"), "--listen=127.0.0.1:0")
	}
	t.Cleanup(stop)
	p.link = previewLink.FindString(printed)
	resp, err := http.Get(p.link)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	document, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	p.console = regexp.MustCompile(`"console":"(http://[^"]+)"`).FindStringSubmatch(string(document))[1]
	// The sandbox needs a kernel feature that containers lack. The pages are ours.
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.UserDataDir(filepath.Join(dir, "profile")))...)
	t.Cleanup(stop)
	p.tab, stop = chromedp.NewContext(allocator)
	t.Cleanup(stop)
	if err := chromedp.Do(p.tab, chromedp.EmulateViewport(1280, 900)); err != nil { // starts the browser
		t.Fatal(err)
	}
	return p
}

var previewLink = regexp.MustCompile(`http://localhost:\d+/#token=\w+`)

// launch runs a verb until it watches. It skips the test if the libraries cannot be downloaded.
func (p *previewed) launch(t *testing.T, args ...string) (printed string, stop func()) {
	t.Helper()
	cmd := exec.Command(p.slipway, append(args, "--dir="+p.repo)...)
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_ = out.Close()
	}
	for lines := bufio.NewScanner(out); !strings.Contains(printed, "\nwatching ") && lines.Scan(); {
		printed += lines.Text() + "\n"
	}
	if previewLink.FindString(printed) == "" {
		stop()
		if strings.Contains(printed, "cannot be reached") {
			t.Skip(printed)
		}
		t.Fatalf("no preview:\n%s", printed)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return printed, stop
}

func (p *previewed) write(t *testing.T, name, text string) {
	t.Helper()
	write(t, filepath.Join(p.repo, "src", name), text)
}

// open opens a page of the preview.
func (p *previewed) open(t *testing.T, path string) {
	t.Helper()
	p.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(strings.Replace(p.link, "/#", path+"#", 1)))
}

func (p *previewed) shoot(t *testing.T, name string) {
	t.Helper()
	if p.screenshots == "" {
		return
	}
	picture, err := chromedp.Run(p.tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.screenshots, name+".png"), string(picture))
}

// faultyPanel is a panel with places for mistakes, and state.
const faultyPanel = `import React, { useEffect, useState } from 'react';
import './Panel.css';
// top
export function Panel() {
  const [clicks, setClicks] = useState(0);
  useEffect(() => {
    // effect
  });
  // draw
  const click = () => {
    setClicks(clicks + 1);
    // event
  };
  return <button id="it" onClick={click}>{'clicks: ' + clicks}</button>;
}
`

const goodModule = `import { PanelPlugin } from '@grafana/data';
import { Panel } from './Panel';
export const plugin = new PanelPlugin(Panel);
`

// TestFaults makes each kind of mistake in a panel. The preview shows it with its place in the author's file, until it
// is corrected, and the host goes on.
func TestFaults(t *testing.T) {
	p := startPreview(t, "preview", map[string]string{"Panel.tsx": faultyPanel, "Panel.css": "#it { color: red }\n",
		"module.ts": goodModule})
	p.open(t, "/panel/"+previewedID)
	p.do(t, until(hasText("#it", "clicks: 0")), click("#it"), until(hasText("#it", "clicks: 1")))
	const overlay = ".preview-overlay"
	for _, c := range []struct {
		name       string
		file, at   string // what is replaced
		with       string // contains FAULT in the line that is to be shown
		isPlaced   bool   // the place is that line: React tells of an endless loop at a hook
		want, keep string // in the overlay; and in the button afterwards
	}{
		{"syntax", "Panel.tsx", "// draw", "const FAULT = ;", true, "unexpected", "clicks: 2"},
		{"import", "Panel.tsx", "// top", "import './FAULT';", true, "FAULT", "clicks: 3"},
		{"stylesheet", "Panel.css", "color: red", "background: url(./FAULT.png)", true, "FAULT", "clicks: 4"},
		{"event", "Panel.tsx", "// event", "throw new Error('FAULT of an event');", true, "FAULT of an event", "clicks: 5"},
		{"rejection", "Panel.tsx", "// event", "void Promise.reject(new Error('FAULT of a promise'));", true, "FAULT of a promise",
			"clicks: 6"},
		{"draw", "Panel.tsx", "// draw", "if (clicks >= 0) throw new Error('FAULT of drawing');", true, "FAULT of drawing", "clicks: "},
		{"effect", "Panel.tsx", "// effect", "throw new Error('FAULT of an effect');", true, "FAULT of an effect", "clicks: "},
		{"endless-draw", "Panel.tsx", "// draw", "setClicks(clicks + 1); // FAULT", false, "src/Panel.tsx:", "clicks: "},
		{"endless-effect", "Panel.tsx", "// effect", "setClicks((n) => n + 1); // FAULT", false, "src/Panel.tsx:", "clicks: "},
		{"nothing", "module.ts", goodModule, "export {}; // FAULT", false, previewedID, "clicks: "},
		{"evaluation", "module.ts", "export const", "throw new Error('FAULT of a module');\nexport const", true, "FAULT of a module",
			"clicks: "},
	} {
		if !t.Run(c.name, func(t *testing.T) {
			good := string(readFile(t, filepath.Join(p.repo, "src", c.file)))
			bad := strings.Replace(good, c.at, c.with, 1)
			before, _, ok := strings.Cut(bad, "FAULT")
			if !ok || bad == good {
				t.Fatalf("%s has no %q", c.file, c.at)
			}
			p.write(t, c.file, bad)
			defer p.write(t, c.file, good)
			if c.at == "// event" {
				p.do(t, until("window.__preview.lastSwap() !== window.swapped"), click("#it"))
			}
			p.do(t, until(hasText(overlay, c.want)))
			if c.isPlaced {
				place := "src/" + c.file + ":" + strconv.Itoa(strings.Count(before, "\n")+1) + ":"
				p.do(t, until(hasText(overlay, place)), until(hasText(overlay+" .preview-code-here", "FAULT")))
			}
			p.shoot(t, c.name)
			if resp, err := http.Get(p.console + "/login"); err != nil || resp.Body.Close() != nil || resp.StatusCode != 200 {
				t.Errorf("the console: %v %v", resp, err)
			}
			p.write(t, c.file, good)
			p.do(t, until(`document.querySelector("`+overlay+`") === null`), until(hasText("#it", "clicks: ")))
			if !strings.HasSuffix(c.keep, " ") && c.at != "// event" {
				p.do(t, click("#it"))
			}
			p.do(t, until(hasText("#it", c.keep)), js("window.swapped = window.__preview.lastSwap()"))
			p.shoot(t, c.name+"-fixed")
		}) {
			break
		}
	}
}
