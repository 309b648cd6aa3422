package testrun

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// printer prints the events of go test.
type printer struct {
	prefix string // omitted from import paths
	now    func() time.Time
	start  time.Time

	mu      sync.Mutex
	w       io.Writer
	printed time.Time // when the last line was printed
	run     Run
	begun   time.Time
	running map[string]*testPackage // by import path
	ended   []*testPackage          // of all runs
	builds  map[string]string       // output of builds that is not printed yet, by import path
}

// testPackage is what is known about a package under test.
type testPackage struct {
	name    string // for people
	started time.Time
	result  string // pass, fail or skip; "" while it runs
	reason  string // why it failed, if not because of a test
	cached  bool
	lines   []line
	results map[string]string // of the tests, by name
}

// line is a line of output; test is "" if it belongs to no test.
type line struct{ test, text string }

func newPrinter(w io.Writer, prefix string, now func() time.Time) *printer {
	return &printer{w: w, prefix: prefix, now: now, start: now(), printed: now(), builds: map[string]string{}}
}

func (p *printer) printf(format string, args ...any) {
	p.printed = p.now()
	fmt.Fprintf(p.w, format, args...)
}

// Write prints what the go command prints that is not an event.
func (p *printer) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed = p.now()
	return p.w.Write(text)
}

// begin starts a run.
func (p *printer) begin(run Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run, p.running, p.begun = run, map[string]*testPackage{}, p.now()
	words := slices.Concat(run.Env, []string{"go", "test"}, run.Flags, run.Packages, run.Args)
	p.printf("%s\n", strings.Join(words, " "))
}

// end ends a run: packages that still run have been interrupted.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(p.running)) {
		p.endPackage(event{Action: "fail", Package: path}, "interrupted")
	}
	for _, path := range slices.Sorted(maps.Keys(p.builds)) {
		p.printBuild(path)
	}
}

func (p *printer) event(e event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Action == "build-output":
		p.builds[e.ImportPath] += e.Output
	case e.Package == "":
	case e.Action == "start":
		p.at(e.Package)
	case e.Action == "output":
		p.output(e)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		if e.Test != "" {
			p.at(e.Package).results[e.Test] = e.Action
			return
		}
		reason := ""
		if e.FailedBuild != "" {
			reason = "build failed"
			if path, _, _ := strings.Cut(e.FailedBuild, " "); path != e.Package {
				reason += ": " + p.short(path)
			}
			p.printBuild(e.FailedBuild)
		}
		p.endPackage(e, reason)
	}
}

// at returns the running package with an import path.
func (p *printer) at(path string) *testPackage {
	t := p.running[path]
	if t == nil {
		t = &testPackage{name: p.short(path), started: p.now(), results: map[string]string{}}
		if label := p.run.Labels[t.name]; label != "" {
			t.name += " " + label
		}
		p.running[path] = t
	}
	return t
}

func (p *printer) short(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, p.prefix), "/"), path)
}

// output records a line of output. It omits the lines that only frame the others.
func (p *printer) output(e event) {
	t := p.at(e.Package)
	text := e.Output
	if e.Test == "" {
		t.cached = t.cached || strings.HasPrefix(text, "ok ") && strings.Contains(text, "(cached)")
		for _, frame := range []string{"PASS\n", "FAIL\n", "ok  \t", "FAIL\t", "?   \t"} {
			if strings.HasPrefix(text, frame) {
				return
			}
		}
	}
	for _, frame := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
		if strings.HasPrefix(text, frame) {
			return
		}
	}
	if p.run.Verbose {
		p.printf("%s", text)
		return
	}
	t.lines = append(t.lines, line{e.Test, text})
}

func (p *printer) printBuild(path string) {
	if text := p.builds[path]; text != "" {
		p.printf("%s\n", strings.TrimSuffix(text, "\n"))
	}
	delete(p.builds, path)
}

// endPackage prints the result of a package and, if it failed, the output of
// everything that did not pass.
func (p *printer) endPackage(e event, reason string) {
	t := p.at(e.Package)
	delete(p.running, e.Package)
	p.ended = append(p.ended, t)
	t.result, t.reason = e.Action, reason
	switch {
	case t.result == "fail":
		p.printf("FAIL  %s  %s\n", p.duration(t, e), t.describe())
		p.printf("%s", t.failures())
	case t.result == "skip":
		p.printf("-     %s  %s: no tests\n", p.duration(t, e), t.name)
	default:
		p.printf("ok    %s  %s\n", p.duration(t, e), t.describe())
	}
	for _, test := range slices.Sorted(maps.Keys(t.results)) {
		if t.results[test] == "skip" {
			p.printf("        skipped %s%s\n", test, t.skipReason(test))
		}
	}
	t.lines = nil
}

func (p *printer) duration(t *testPackage, e event) string {
	if t.cached {
		return "cached"
	}
	return fmt.Sprintf("%5.1fs", cmp.Or(e.Elapsed, p.now().Sub(t.started).Seconds()))
}

// describe returns the name of a package with its counts or its failure.
func (t *testPackage) describe() string {
	if t.reason != "" {
		return t.name + ": " + t.reason
	}
	n := t.count("pass") + t.count("fail") + t.count("skip")
	switch failed := t.count("fail"); {
	case failed > 0:
		return fmt.Sprintf("%s: %d of %s failed", t.name, failed, plural(n, "test"))
	case n == 0:
		return t.name
	}
	return fmt.Sprintf("%s: %s", t.name, plural(n, "test"))
}

// count returns how many tests ended with a result. It counts no subtests.
func (t *testPackage) count(result string) (n int) {
	for name, r := range t.results {
		if r == result && !strings.Contains(name, "/") {
			n++
		}
	}
	return n
}

// failures returns the output of everything that did not pass, test by test.
func (t *testPackage) failures() string {
	hasFailed := t.count("fail") > 0 // otherwise, any test may have caused the failure
	var order []string
	texts := map[string]string{}
	for _, l := range t.lines {
		if r := t.results[l.test]; hasFailed && (r == "pass" || r == "skip") {
			continue
		}
		if _, isKnown := texts[l.test]; !isKnown {
			order = append(order, l.test)
		}
		texts[l.test] += l.text
	}
	var b strings.Builder
	for _, test := range order {
		b.WriteString(texts[test])
		if !strings.HasSuffix(texts[test], "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// skipReason returns the message with which a test was skipped.
func (t *testPackage) skipReason(test string) string {
	for _, l := range t.lines {
		if l.test == test && !strings.HasPrefix(strings.TrimSpace(l.text), "--- SKIP") {
			return ": " + strings.TrimSpace(l.text)
		}
	}
	return ""
}

// waiting prints what is running if nothing has been printed for a while.
func (p *printer) waiting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.printed) < quiet {
		return
	}
	var running []string
	for _, t := range slices.SortedFunc(maps.Values(p.running), func(a, b *testPackage) int {
		return cmp.Or(a.started.Compare(b.started), cmp.Compare(a.name, b.name))
	}) {
		running = append(running, fmt.Sprintf("%s (%.0fs)", t.name, now.Sub(t.started).Seconds()))
	}
	if len(running) == 0 {
		p.printf("      %5.0fs  compiling\n", now.Sub(p.begun).Seconds())
		return
	}
	p.printf("      %5.0fs  running %s\n", now.Sub(p.begun).Seconds(), strings.Join(running, ", "))
}

// summary prints what failed, and the counts of all runs in the last line.
func (p *printer) summary(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	packages, tests := map[string]int{}, map[string]int{}
	var failed []*testPackage
	for _, t := range p.ended {
		packages[t.result]++
		for _, result := range []string{"pass", "fail", "skip"} {
			tests[result] += t.count(result)
		}
		if t.result == "fail" {
			failed = append(failed, t)
		}
	}
	p.printf("\n")
	for _, t := range failed {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(t.results)) {
			if t.results[name] == "fail" && !strings.Contains(name, "/") {
				names = append(names, name)
			}
		}
		why := cmp.Or(t.reason, strings.Join(names, ", "), "failed outside of a test")
		p.printf("FAIL  %s: %s\n", t.name, why)
	}
	verdict := "ok  "
	if status != 0 {
		verdict = "FAIL"
		if len(failed) == 0 {
			p.printf("FAIL  go test: exit status %d\n", status)
		}
	}
	p.printf("%s  packages: %d passed, %d failed, %d without tests; tests: %d passed, %d failed, %d skipped; %.1fs\n",
		verdict, packages["pass"], packages["fail"], packages["skip"],
		tests["pass"], tests["fail"], tests["skip"], p.now().Sub(p.start).Seconds())
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
