//go:build e2e && unix

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const faultyID = "acme-seen-panel"

// faultyTest is the preview of a panel with mistakes.
type faultyTest struct {
	previewTest
	console string // the host's address
}

// startFaulty runs "slipway preview" or "slipway dev" of a scaffolded panel with files in src that replace those of the scaffold.
func startFaulty(t *testing.T, verb string, files map[string]string) *faultyTest {
	t.Helper()
	dir := t.TempDir()
	p := &faultyTest{previewTest: previewTest{id: faultyID, consoleTest: &consoleTest{t: t, slipway: slipwayCommand(t), tab: openBrowser(t),
		repo: filepath.Join(dir, faultyID), screenshots: os.Getenv("SLIPWAY_SCREENSHOTS"), subject: "fault"}}}
	run(t, 0, dir, p.slipway, "scaffold", "panel", faultyID)
	for name, text := range files {
		p.write(t, name, text)
	}
	stop := p.launch(t, "preview", "--with=12.4", "--listen=127.0.0.1:0") // which downloads, as dev does not
	if verb == "dev" {
		stop()
		pinned := regexp.MustCompile(`"@grafana/(\w+)": "[^"]*"`)
		manifest := readFile(t, filepath.Join(p.repo, "package.json"))
		testkit.WriteFile(t, filepath.Join(p.repo, "package.json"), pinned.ReplaceAllString(string(manifest), `"@grafana/$1": "~12.4.0"`))
		stop = p.launch(t, "dev", "--data-dir="+filepath.Join(dir, "data"), "--listen=127.0.0.1:0")
	}
	t.Cleanup(stop)
	p.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(p.link))
	page := testkit.Must(http.Get(strings.Split(p.link, "#")[0]))(t)
	_ = page.Body.Close()
	framer := regexp.MustCompile(`frame-ancestors (\S+)`).FindStringSubmatch(page.Header.Get("Content-Security-Policy"))
	if framer == nil {
		t.Fatalf("no console may frame the page: %v", page.Header)
	}
	p.console = framer[1]
	return p
}

func (p *faultyTest) write(t *testing.T, name, text string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(p.repo, "src", name), text)
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
	p := startFaulty(t, "preview", map[string]string{"Panel.tsx": faultyPanel, "Panel.css": "#it { color: red }\n",
		"module.ts": goodModule})
	p.navigate(t, "/panel/"+faultyID)
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
		{"nothing", "module.ts", goodModule, "export {}; // FAULT", true, "does not export the plugin to hosts", "clicks: "},
		{"evaluation", "module.ts", "export const", "throw new Error('FAULT of a module');\nexport const", true, "FAULT of a module",
			"clicks: "},
	} {
		if !t.Run(c.name, func(t *testing.T) {
			good := testkit.ReadFile(t, filepath.Join(p.repo, "src", c.file))
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
			p.screenshot(t, c.name)
			if resp, err := http.Get(p.console + "/login"); err != nil || resp.Body.Close() != nil || resp.StatusCode != 200 {
				t.Errorf("the console: %v %v", resp, err)
			}
			p.write(t, c.file, good)
			p.do(t, until(`document.querySelector("`+overlay+`") === null`), until(hasText("#it", "clicks: ")))
			if !strings.HasSuffix(c.keep, " ") && c.at != "// event" {
				p.do(t, click("#it"))
			}
			p.do(t, until(hasText("#it", c.keep)), js("window.swapped = window.__preview.lastSwap()"))
			p.screenshot(t, c.name+"-fixed")
		}) {
			break
		}
	}
}
