package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/api"
)

var update = flag.Bool("update", false, "rewrite the tables in doc/compatibility.md")

// minPublished is the minimum number of requests in testdata/published.txt.
const minPublished = 150

var publishedLine = regexp.MustCompile(`^(\w+) (\w+) (\S+) (\d+)(?:/(\d+) ([\w-]+))? (\S+)(?: (.+))?$`)

// TestPublished runs the requests of the published documentation. A response that differs
// from it has a reason in doc/compatibility.md.
func TestPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	text, err := os.ReadFile(filepath.Join("testdata", "published.txt"))
	if err != nil {
		t.Fatal(err)
	}
	reasons := readCompatibility(t)
	who := map[string]string{"none": "", "viewer": f.viewer, "editor": f.editor, "admin": f.admin}
	requests, used := 0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part := publishedLine.FindStringSubmatch(line)
		if part == nil {
			t.Fatalf("invalid line %q", line)
		}
		requests++
		body := part[8]
		if body == "-" {
			body = ""
		}
		got := f.do(part[2], part[3], who[part[1]], body)
		if fmt.Sprint(got.status) != part[4] {
			t.Errorf("%s: %d %s", line, got.status, got.body)
			continue
		}
		if key := part[6]; key != "" {
			used[key] = true
			if !strings.Contains(reasons, "| "+key+" |") {
				t.Errorf("%s: doc/compatibility.md has no row %q", line, key)
			}
		}
		if err := checkFields(got.body, part[7]); err != nil {
			t.Errorf("%s: %v in %s", line, err, got.body)
		}
	}
	t.Logf("%d requests, %d reasons for differences", requests, len(used))
	if requests < minPublished {
		t.Errorf("%d requests, want at least %d", requests, minPublished)
	}
}

// checkFields returns an error if an object, or the first entry of an array, lacks one of
// the fields.
func checkFields(body, fields string) error {
	if fields == "-" {
		return nil
	}
	var entry map[string]json.RawMessage
	if list, ok := strings.CutPrefix(fields, "["); ok {
		var all []map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &all); err != nil || len(all) == 0 {
			return fmt.Errorf("no entries: %v", err)
		}
		entry, fields = all[0], strings.TrimSuffix(list, "]")
	} else if err := json.Unmarshal([]byte(body), &entry); err != nil {
		return err
	}
	for name := range strings.SplitSeq(fields, ",") {
		if _, ok := entry[name]; !ok {
			return fmt.Errorf("no field %s", name)
		}
	}
	return nil
}

const compatibilityFile = "../../doc/compatibility.md"

func readCompatibility(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(compatibilityFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCompatibilityDocument compares the tables in doc/compatibility.md with the routes.
func TestCompatibilityDocument(t *testing.T) {
	t.Parallel()
	var routes, missing strings.Builder
	routes.WriteString("\n| route | |\n| --- | --- |\n")
	for _, r := range newFixture(t).Routes() {
		name := r.Method
		if name == "" {
			name = "any"
		}
		fmt.Fprintf(&routes, "| %s %s | %s |\n", name, r.Pattern, r.Doc.Summary)
	}
	missing.WriteString("\n| path | this host has no |\n| --- | --- |\n")
	for _, m := range api.MissingPaths() {
		fmt.Fprintf(&missing, "| %s | %s |\n", strings.ReplaceAll(m.Path, "*", "{}"), m.What)
	}
	text := readCompatibility(t)
	want := text
	for name, table := range map[string]string{"routes": routes.String(), "missing": missing.String()} {
		begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s does not contain %s and %s", compatibilityFile, begin, end)
		}
		want = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(compatibilityFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("run the test with -update (-want +got):\n%s", diff)
	}
}
