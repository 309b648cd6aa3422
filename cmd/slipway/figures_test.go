package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/validate/schema"
)

// BenchmarkFigures measures the program as users start it and prints one table. On a
// machine that does other things too the times are high, but processor time hardly.
func BenchmarkFigures(b *testing.B) {
	for b.Loop() {
		figures(b)
	}
}

func figures(b *testing.B) {
	program := filepath.Join(b.TempDir(), "slipway")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	one, clean, faulty := writeTree(b, 1, false), writeTree(b, treeSize, false), writeTree(b, treeSize, true)
	peer, reason := newAjv(b)
	ajv := func(n int, dir string) string {
		if reason != "" {
			return reason
		}
		return "ajv, schema only: " + rate(n, measure(b, 3, peer, dir))
	}

	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nFIGURE\tSLIPWAY\tPROCESSOR TIME, SHARE\tTARGET\tBESIDE IT\n")
	start := measure(b, 60, func(string) *exec.Cmd { return exec.CommandContext(b.Context(), program, "version") }, "")
	validate := func(dir string) *exec.Cmd { return exec.CommandContext(b.Context(), program, "validate", dir) }
	single := measure(b, 60, validate, one)
	fmt.Fprintf(table, "one plugin, start to exit, median of 60\t%.1f ms\t%.1f ms\t30 ms or less\tslipway version: %.1f ms\n",
		ms(single.median), ms(single.cpu), ms(start.median))
	for _, t := range []struct{ name, dir string }{{"clean", clean}, {"faulty", faulty}} {
		r := measure(b, 5, validate, t.dir)
		fmt.Fprintf(table, "%d %s plugins, best of 5\t%s\t%.2f ms each\t5000/s or more\t%s\n",
			treeSize, t.name, rate(treeSize, r), ms(r.cpu)/treeSize, ajv(treeSize, t.dir))
	}
	sdkFigures(b, table)
	hostFigures(b, table, program)
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
	fmt.Println()
}

// times are of several runs of a program.
type times struct {
	best, median time.Duration
	cpu          time.Duration // user and system, the least
}

func measure(b *testing.B, runs int, command func(dir string) *exec.Cmd, dir string) times {
	b.Helper()
	var all, cpu []time.Duration
	for range runs {
		cmd := command(dir)
		start := time.Now()
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
			b.Fatalf("%s: %v", cmd, err)
		}
		all = append(all, time.Since(start))
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(all)
	return times{best: all[0], median: all[len(all)/2], cpu: slices.Min(cpu)}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func rate(n int, t times) string { return fmt.Sprintf("%.0f/s", float64(n)/t.best.Seconds()) }

// newAjv returns a command that does only what the schema demands, with the
// validator that JavaScript uses, or why there is none.
func newAjv(b *testing.B) (command func(dir string) *exec.Cmd, reason string) {
	b.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, "no ajv: npm is not on the PATH"
	}
	dir := b.TempDir()
	schema, err := schema.JSON("service")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"package.json": `{"private": true}`, "schema.json": string(schema), "ajv.cjs": ajvScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	install := exec.CommandContext(b.Context(), npm, "install", "--silent", "--no-audit", "--no-fund", "ajv@8")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Sprintf("no ajv: npm install: %v %.60s", err, strings.TrimSpace(string(out)))
	}
	return func(tree string) *exec.Cmd {
		return exec.CommandContext(b.Context(), "node", filepath.Join(dir, "ajv.cjs"), tree)
	}, ""
}

const ajvScript = `const fs = require("fs"), path = require("path");
const Ajv = require("ajv/dist/2020");
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
