package rules

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// TestHostileFiles runs the rules over files that are meant to use up time or memory.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	entities := `<!DOCTYPE svg [<!ENTITY a0 "x">`
	for i := range 60 {
		entities += fmt.Sprintf(`<!ENTITY a%d "&a%d;&a%d;">`, i+1, i, i)
	}
	for name, data := range map[string]string{
		"img/logo.svg, deep":     strings.Repeat("<svg>", 100_000),
		"img/logo.svg, entities": entities + "]><svg>&a60;</svg>",
		"img/logo.svg, large":    "<svg>" + strings.Repeat(" ", 9<<20),
		"img/logo.svg, bytes":    "<svg \xff\x00<<<&&&",
		"README.md, brackets":    strings.Repeat("[](", 200_000),
		"README.md, ticks":       strings.Repeat("`", 500_001) + "\n~~~\n```",
		"README.md, large":       strings.Repeat("a", 2<<20),
		"module.js, large":       strings.Repeat("a", 1<<20),
		"MANIFEST.txt, list":     `{"files": []}`,
		"MANIFEST.txt, deep":     strings.Repeat("[", 100_000),
		"package.json, deep":     strings.Repeat("[", 100_000),
		"plugin.json, numbers":   `{"id": 1e999999999, "backend": 1e400, "info": {"build": {"number": -1e999999999, "time": 1e-999999999}}}`,
		"panel/plugin.json, big": `{"a": "` + strings.Repeat("a", 300<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []validate.Where{validate.Source, validate.Dist} {
				p := completePlugin(t, form)
				file, _, _ := strings.Cut(name, ",")
				p.write(file, data)
				for _, s := range p.run(t, All()).Skips {
					isTooLarge := file == panelFile && strings.HasSuffix(s.File, panelFile) // not read at all
					if s.IsBroken && s.Rule != "" && !isTooLarge {
						t.Errorf("%s: %s", s.Rule, s.Reason)
					}
				}
			}
		})
	}
}

// TestManyImages requires that svg-unsafe stops at its limit for all images together.
func TestManyImages(t *testing.T) {
	t.Parallel()
	const image = "<svg><script/></svg>"
	rule := validate.Rule{ID: "svg-unsafe", Severity: validate.Error, Check: func(p *validate.Pass) { scanImages(p, 2*int64(len(image))-1) }}
	tree := fstest.MapFS{"plugin.json": {Data: []byte(`{"info": {"logos": {"small": "a.svg", "large": "b.svg"}}}`)}, "a.svg": {Data: []byte(image)}, "b.svg": {Data: []byte(image)}}
	report := runWith(t, tree, validate.Options{Rules: []validate.Rule{rule}})
	if len(report.Findings) != 2 || report.Findings[0].File != "a.svg" || !strings.Contains(report.Findings[1].Message, "b.svg and those after it are not checked") {
		t.Errorf("want a finding in a.svg and another one for b.svg, got\n%s%+v", lines(report), report.Skips)
	}
}

// TestLargeImages requires that an SVG image that is too large to be checked is an error.
func TestLargeImages(t *testing.T) {
	t.Parallel()
	large := slices.Concat([]byte("<svg><script/>"), bytes.Repeat([]byte(" "), inspect.MaxImageBytes), []byte("</svg>"))
	tree := fstest.MapFS{"plugin.json": {Data: []byte(`{"info": {"logos": {"small": "a.SVG", "large": "b.png"}}}`)}, "a.SVG": {Data: large}, "b.png": {Data: large}}
	report := runWith(t, tree, validate.Options{Rules: only("svg-unsafe")})
	if len(report.Findings) != 1 || report.Findings[0].Message != "a.SVG is not checked: it is larger than 8 MiB" {
		t.Errorf("want a finding for a.SVG, got\n%s", lines(report))
	}
}

// TestManyWrongEntries requires that the wrong entries of a manifest are reported up to a limit.
func TestManyWrongEntries(t *testing.T) {
	t.Parallel()
	entries := make([]string, 150)
	for i := range entries {
		entries[i] = fmt.Sprintf(`"%d": ""`, i)
	}
	tree := fstest.MapFS{"plugin.json": {Data: []byte("{}")}, "MANIFEST.txt": {Data: []byte(`{"files": {` + strings.Join(entries, ",") + "}}")}}
	report := runWith(t, tree, validate.Options{Rules: only("manifest-hash"), Where: validate.Dist})
	if len(report.Findings) != 100 || len(report.Skips) != 1 || report.Skips[0].Reason != "MANIFEST.txt has more than 100 wrong entries" {
		t.Errorf("%d findings, skips %+v", len(report.Findings), report.Skips)
	}
}

// TestLinksStayInside requires that texts and images behind symbolic links that leave the
// plugin are not read.
func TestLinksStayInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const secret = "# Grafana Panel Plugin Template\n[secret](docs/secret.md)\n"
	for name, data := range map[string]string{"outside.md": secret, "outside.svg": "<svg><script/></svg>", "in/plugin.json": completePanel} {
		file := filepath.Join(dir, name)
		testkit.WriteFile(t, file, strings.ReplaceAll(data, "../img/", ""))
	}
	for from, to := range map[string]string{"in/README.md": "../outside.md", "in/logo.svg": filepath.Join(dir, "outside.svg")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skipf("cannot create symbolic links: %v", err)
		}
	}
	report := runWith(t, os.DirFS(dir), validate.Options{Path: "in", Rules: All()})
	got := lines(report)
	for _, leaked := range []string{"svg-unsafe", "scaffold-text", "readme-relative-link"} {
		if strings.Contains(got, leaked) {
			t.Errorf("%s read a file outside the plugin:\n%s", leaked, got)
		}
	}
	if strings.Count(got, "path-escape") != 2 {
		t.Errorf("want two findings of path-escape:\n%s", got)
	}
}

// TestManySiblings validates many plugins that depend on each other.
func TestManySiblings(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for i := range 300 {
		next := fmt.Sprintf(`{"id": "acme-p%d-panel", "name": "P", "type": "panel", "version": "1.x"}`, (i+1)%300)
		text := strings.Replace(completePanel, `">=10.3.0"`, `">=10.3.0", "plugins": [`+next+`]`, 1)
		text = strings.Replace(text, "acme-tide-panel", fmt.Sprintf("acme-p%d-panel", i), 1)
		tree[fmt.Sprintf("p%d/plugin.json", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	report := runWith(t, tree, validate.Options{Rules: All()})
	if n := len(of("dependency-cycle", report)); n != 300 {
		t.Errorf("%d findings for one cycle of 300 plugins, want 300", n)
	}
}
