package bench

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
	"github.com/slipway-dev/slipway/validate/schema"
)

// validateFigures measures validate on one plugin and on trees of plugins.
func validateFigures(b *testing.B, program string) []figure {
	start := run(b, 60, program, "version")
	single := run(b, 60, program, "validate", writeTree(b, 1, false))
	figures := []figure{{
		name: "validate one plugin, median of 60", value: ms(single.median), format: "%.1f ms", bound: atMost(30),
		share: fmt.Sprintf("%.1f ms of processor time", ms(single.cpu)), others: fmt.Sprintf("slipway version: %.1f ms", ms(start.median)),
	}}
	ajv, others := newAjv(b)
	for _, c := range []struct {
		name     string
		isFaulty bool
		bound    float64
	}{{"clean", false, 3}, {"faulty", true, 4.5}} {
		dir := writeTree(b, treeSize, c.isFaulty)
		r, reading := run(b, 5, program, "validate", dir), readTree(b, dir)
		if ajv != "" {
			others = fmt.Sprintf("ajv, schema only: %.0f/s", treeSize/run(b, 3, "node", ajv, dir).best.Seconds())
		}
		figures = append(figures, figure{
			name: fmt.Sprintf("validate %d %s plugins, best of 5", treeSize, c.name), value: r.best.Seconds() / reading.Seconds(), format: "%.2f x", bound: atMost(c.bound),
			share: fmt.Sprintf("%.0f/s, %.2f ms of processor time each", treeSize/r.best.Seconds(), ms(r.cpu)/treeSize), others: fmt.Sprintf("reading and parsing: %.0f/s; %s", treeSize/reading.Seconds(), others),
		})
	}
	return figures
}

// readTree reads all files of a tree, parses the JSON files with encoding/json, and returns the
// best time of 5.
func readTree(b *testing.B, dir string) (best time.Duration) {
	b.Helper()
	for range 5 {
		start := time.Now()
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		plugins, err := os.ReadDir(dir)
		if err != nil {
			b.Fatal(err)
		}
		for _, plugin := range plugins {
			g.Go(func() error {
				return filepath.WalkDir(filepath.Join(dir, plugin.Name()), func(file string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					data, err := os.ReadFile(file)
					if err == nil && filepath.Ext(file) == ".json" {
						var value any
						err = json.Unmarshal(data, &value)
					}
					return err
				})
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return best
}

// BenchmarkTree validates a tree of plugins in this process, for a profiler.
func BenchmarkTree(b *testing.B) {
	for name, isFaulty := range map[string]bool{"clean": false, "faulty": true} {
		b.Run(name, func(b *testing.B) {
			dir := writeTree(b, treeSize, isFaulty)
			all := rules.All()
			b.ReportAllocs()
			for b.Loop() {
				tree, options, err := validate.Open(dir, ".")
				if err != nil {
					b.Fatal(err)
				}
				options.Rules = all
				r, err := validate.Run(b.Context(), tree, options)
				if err != nil || r.Plugins != treeSize || (len(r.Findings) > 0) != isFaulty {
					b.Fatalf("%v, %d plugins, %d findings: %+v", err, r.Plugins, len(r.Findings), r.Findings[0])
				}
			}
			b.ReportMetric(treeSize*float64(b.N)/b.Elapsed().Seconds(), "plugins/s")
		})
	}
}

// newAjv installs ajv, a JSON Schema validator in JavaScript, and returns the script
// that validates a tree, or the reason why there is none.
func newAjv(b *testing.B) (script, reason string) {
	b.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", "ajv: npm not found"
	}
	dir := b.TempDir()
	text, err := schema.JSON("service")
	if err != nil {
		b.Fatal(err)
	}
	for name, content := range map[string]string{"package.json": `{"private": true}`, "schema.json": string(text), "ajv.cjs": ajvScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	install := exec.CommandContext(b.Context(), npm, "install", "--silent", "--no-audit", "--no-fund", "ajv@8")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Sprintf("ajv: npm install: %v %.60s", err, strings.TrimSpace(string(out)))
	}
	return filepath.Join(dir, "ajv.cjs"), ""
}

const ajvScript = `const fs = require("fs"), path = require("path");
const Ajv = require("ajv");
const schema = JSON.parse(fs.readFileSync(path.join(__dirname, "schema.json"), "utf8"));
const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
const root = process.argv[2];
let faulty = 0;
for (const dir of fs.readdirSync(root)) {
  const text = fs.readFileSync(path.join(root, dir, "plugin.json"), "utf8");
  if (!validate(JSON.parse(text))) {
    faulty++;
    process.stdout.write(dir + " " + JSON.stringify(validate.errors) + "\n");
  }
}
process.exit(faulty > 0 ? 1 : 0);
`
