package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

var update = flag.Bool("update", false, "rewrite the tables in doc/compatibility.md")

// minPublished is the minimum number of requests in testdata/published.txt.
const minPublished = 370

var publishedLine = regexp.MustCompile(`^(\w+) (\w+) (\S+) (\d+)(?:/(\d+) ([\w-]+))?(\??) (\S+)(?: (.+))?$`)

// TestPublished runs the requests of the published documentation. A response that differs
// from it has a reason in doc/compatibility.md, and so does each field that no response of
// an operation has.
func TestPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	root := t.TempDir()
	writeBackend(t, filepath.Join(root, pluginID), pluginID)
	testkit.WriteFile(t, filepath.Join(root, "roles", bundle.MetadataFile), withRoles)
	f.mount(t, loader.Options{Dirs: []string{root}, HostVersion: "10.4.2", Toggles: []string{loader.ToggleRoles}})
	reasons := readCompatibility(t)
	who := map[string]string{"none": "", "viewer": f.viewer, "editor": f.editor, "admin": f.admin}
	known := readOperations(t)
	requests, used, created := 0, map[string]bool{}, "" // the last uid
	ids := map[string]string{}                          // the last one for each path; they depend on the database
	for _, line := range readFacts(t, "published.txt") {
		part := publishedLine.FindStringSubmatch(line)
		if part == nil {
			t.Fatalf("invalid line %q", line)
		}
		fill := strings.NewReplacer("$uid", created, "$datasource", ids["/api/datasources"], "$key", ids["/api/auth/keys"])
		method, target, here, there, key, source, fields := part[2], fill.Replace(part[3]), part[4], part[5], part[6], part[7], part[8]
		requests++
		got := f.do(method, target, who[part[1]], fill.Replace(strings.TrimPrefix(part[9], "-")))
		if fmt.Sprint(got.status) != here {
			t.Errorf("%s: %d %s", line, got.status, got.body)
			continue
		}
		if key == "" {
			there = here
		} else if used[key] = true; !strings.Contains(reasons, "| "+key+" |") {
			t.Errorf("%s: doc/compatibility.md has no row %q", line, key)
		}
		op := operationFor(known, method, target)
		if isPublished := op != nil && slices.Contains(op.statuses, there); isPublished != (source == "") {
			t.Errorf("%s: the status %s is in the published description: %v", line, there, isPublished)
		}
		if err := checkFields(got.body, fields); err != nil {
			t.Errorf("%s: %v in %s", line, err, got.body)
		}
		if op != nil && got.status < 300 {
			op.runs++
			var body any
			if err := json.Unmarshal([]byte(got.body), &body); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			addFields(op.seen, "", body)
			if object, ok := body.(object); ok && method == "POST" {
				if object["uid"] != nil {
					created = fmt.Sprint(object["uid"])
				}
				ids[target] = fmt.Sprint(object["id"])
			}
		}
	}
	checkOperations(t, f, known)
	t.Logf("%d requests of %d operations, %d reasons for other statuses", requests, len(known), len(used))
	if requests < minPublished {
		t.Errorf("%d requests, want at least %d", requests, minPublished)
	}
}

// readFacts returns the lines of a file in testdata without comments.
func readFacts(t *testing.T, name string) (lines []string) {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// operation is a fact of the published OpenAPI description.
type operation struct {
	method, path             string // {} stands for a segment, and {...} for the rest
	statuses, fields, params []string
	runs                     int             // successful requests
	seen                     map[string]bool // the fields of their responses
}

func readOperations(t *testing.T) (all []*operation) {
	t.Helper()
	list := func(text string) []string {
		if text == "-" {
			return nil
		}
		return strings.Split(text, ",")
	}
	for _, line := range readFacts(t, "operations.txt") {
		part := strings.Fields(line)
		if len(part) != 5 {
			t.Fatalf("invalid line %q", line)
		}
		all = append(all, &operation{method: part[0], path: part[1], statuses: list(part[2]), fields: list(part[3]), params: list(part[4]), seen: map[string]bool{}})
	}
	return all
}

// operationFor returns the operation that a request is for, or nil. A path with fewer
// parameters wins.
func operationFor(all []*operation, method, target string) (best *operation) {
	path, _, _ := strings.Cut(target, "?")
	for _, op := range all {
		if op.method == method && matchesPath(op.path, strings.TrimSuffix(path, "/")) && (best == nil || strings.Count(op.path, "{") < strings.Count(best.path, "{")) {
			best = op
		}
	}
	return best
}

func matchesPath(pattern, path string) bool {
	known, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if last := len(known) - 1; known[last] == "{...}" && len(segments) > last {
		known, segments = known[:last], segments[:last]
	}
	return slices.EqualFunc(known, segments, func(k, s string) bool { return k == "{}" || k == s })
}

// addFields adds the names of the fields of an object, or of the objects in an array, and
// of the objects in them.
func addFields(seen map[string]bool, prefix string, value any) {
	switch value := value.(type) {
	case []any:
		for _, entry := range value {
			addFields(seen, prefix, entry)
		}
	case object:
		for name, field := range value {
			if seen[prefix+name] = true; prefix == "" {
				addFields(seen, name+".", field)
			}
		}
	}
}

// difference is a group of fields or parameters that the published description lists and
// this host does not have. A name also stands for a field of objects, and for their fields.
type difference struct {
	path   string // a prefix of the paths of its operations; a space marks the end
	names  string // "all" stands for every name
	reason string
}

var fieldDifferences = []difference{
	{"/api", "accessControl", "`/api/access-control/user/permissions` lists what the caller may do"},
	{"/api", "isProvisioned, isExternallySynced, isGrafanaAdminExternallySynced", "users and teams come from no other system"},
	{"/api", "lastSeenAt, lastSeenAtAge", "the host stores when a session was last used, but not when a user was last seen"},
	{"/api", "createdAt, updatedAt", "the host does not store when users and service accounts were created or changed"},
	{"/api/access-control/roles", "uid, version, created, updated, global, group, hidden, mapped, delegatable", "the roles are those that plugins define; their names identify them"},
	{"/api/auth/keys", "lastUsedAt", "the host stores the last use only of the tokens of service accounts"},
	{"/api/dashboards/db", "title", "the description means the slug; the documentation and servers call it `slug`"},
	{"/api/dashboards/uid", "createdBy, updatedBy", "the host does not store who created or changed a dashboard"},
	{"/api/dashboards/uid", "annotationsPermissions, publicDashboardEnabled, isSnapshot, expires, canStar", "there are no annotations, public dashboards, snapshots or stars"},
	{"/api/dashboards/uid", "apiVersion", "this host serves nothing below `/apis`"},
	{"/api/datasources", "message", "the plugin writes the response of a resource"},
	{"/api/folders", "parentUid, parents, managedBy", "folders have no parents, and no other tool manages them"},
	{"/api/health", "enterpriseCommit", "this host has no enterprise edition"},
	{"/api/playlists", "id, Id, PlaylistId", "a playlist has a uid; the documentation shows `uid` and `playlistUid`, too"},
	{"/api/playlists", "message", "the documentation shows an empty object"},
	{"/api/search", "description", "the description is in the dashboard"},
	{"/api/search", "isDeleted, permanentlyDeleteDate", "the host does not keep deleted dashboards"},
	{"/api/search", "sortMetaName", "results are always sorted by title"},
	{"/api/serviceaccounts", "isRevoked", "a revoked token is deleted"},
	{"/api/serviceaccounts ", "isExternal", "only the accounts of plugins have it, and the host creates them"},
	{"/api/serviceaccounts", "teams", "there are no teams"},
	{"/api/teams/search ", "teams", "there are no teams"},
	{"/api/users/{}/teams ", "all", "there are no teams"},
	{"/api", "uid", "users and service accounts have a numeric id and a login"},
}

var paramDifferences = []difference{
	{"/api/access-control/roles", "delegatable, includeHidden", "no role can be hidden or delegated"},
	{"/api/folders", "forceDeleteRules", "this host has no alerting"},
	{"/api/folders", "permission", "the list has all folders that the caller may read"},
	{"/api/search", "permission", "the list has all dashboards that the caller may read"},
	{"/api/search", "sort", "results are always sorted by title"},
	{"/api/serviceaccounts/search", "Disabled", "the documentation and servers call it `disabled`"},
	{"/api/serviceaccounts/search", "expiredTokens", "the list of the tokens of an account has `hasExpired`"},
	{"/api/teams/search", "accesscontrol, name, sort", "there are no teams"},
}

// reasonFor returns the index of the difference that a name belongs to, or -1.
func reasonFor(all []difference, op *operation, name string) int {
	return slices.IndexFunc(all, func(d difference) bool {
		return strings.HasPrefix(op.path+" ", d.path) && slices.ContainsFunc(strings.Split(d.names, ", "), func(n string) bool {
			return n == "all" || n == name || strings.HasSuffix(name, "."+n) || strings.HasPrefix(name, n+".")
		})
	})
}

// checkOperations requires a successful request for each operation that this host serves,
// and a reason for each of its fields and parameters that is not here.
func checkOperations(t *testing.T, f *fixture, known []*operation) {
	t.Helper()
	var fieldUses, paramUses = make([]int, len(fieldDifferences)), make([]int, len(paramDifferences))
	check := func(op *operation, what, name string, all []difference, uses []int) {
		if n := reasonFor(all, op, name); n >= 0 {
			uses[n]++
		} else {
			t.Errorf("%s %s: no %s %s, and no reason for that", op.method, op.path, what, name)
		}
	}
	served := map[*operation]api.Route{}
	parameter := regexp.MustCompile(`\{[^}.]*\}`)
	for _, route := range f.Routes() {
		path := strings.ReplaceAll(parameter.ReplaceAllString(route.Pattern, "{}"), "{path...}", "{...}")
		for _, op := range known {
			if op.path == path && (op.method == route.Method || route.Method == "") {
				served[op] = route
			}
		}
	}
	for _, op := range known {
		route, isServed := served[op]
		if !isServed {
			continue
		}
		if op.runs == 0 && len(op.fields) > 0 {
			t.Errorf("%s %s: no request succeeded", op.method, op.path)
			continue
		}
		for _, name := range op.fields {
			if !op.seen[name] {
				check(op, "field", name, fieldDifferences, fieldUses)
			}
		}
		for _, name := range op.params {
			if !slices.Contains(api.QueryNames(route), name) {
				check(op, "parameter", name, paramDifferences, paramUses)
			}
		}
	}
	for n, d := range fieldDifferences {
		if fieldUses[n] == 0 {
			t.Errorf("no operation lacks the fields %s", d.names)
		}
	}
	for n, d := range paramDifferences {
		if paramUses[n] == 0 {
			t.Errorf("no operation lacks the parameters %s", d.names)
		}
	}
}

// checkFields returns an error if an object, or the first entry of an array, lacks one of
// the fields. "[]" is an empty array.
func checkFields(body, fields string) error {
	switch fields {
	case "-":
		return nil
	case "[]":
		if body != "[]" {
			return fmt.Errorf("not empty")
		}
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
	text := testkit.Must(os.ReadFile(filepath.FromSlash(compatibilityFile)))(t)
	return string(text)
}

// TestCompatibilityDocument compares the tables in doc/compatibility.md with the routes.
func TestCompatibilityDocument(t *testing.T) {
	t.Parallel()
	var fields, params, routes, missing strings.Builder
	for table, all := range map[*strings.Builder][]difference{&fields: fieldDifferences, &params: paramDifferences} {
		table.WriteString("\n| operations | not here | reason |\n| --- | --- | --- |\n")
		for _, d := range all {
			fmt.Fprintf(table, "| %s | %s | %s |\n", strings.TrimSpace(d.path), d.names, d.reason)
		}
	}
	routes.WriteString("\n| route | |\n| --- | --- |\n")
	for _, r := range newFixture(t).Routes() {
		name := r.Method
		if name == "" {
			name = "any"
		}
		summary := r.Doc.Summary
		if r.Doc.IsDeprecated {
			summary += "; deprecated, create service accounts instead"
		}
		fmt.Fprintf(&routes, "| %s %s | %s |\n", name, r.Pattern, summary)
	}
	missing.WriteString("\n| path | this host has no |\n| --- | --- |\n")
	for _, m := range api.MissingPaths() {
		fmt.Fprintf(&missing, "| %s | %s |\n", strings.ReplaceAll(m.Path, "*", "{}"), m.What)
	}
	text := readCompatibility(t)
	want := text
	for name, table := range map[string]string{"fields": fields.String(), "parameters": params.String(), "routes": routes.String(), "missing": missing.String()} {
		begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s does not contain %s and %s", compatibilityFile, begin, end)
		}
		want = before + begin + table + end + after
	}
	if *update {
		testkit.OK(t, os.WriteFile(filepath.FromSlash(compatibilityFile), []byte(want), 0o644))
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("run the test with -update (-want +got):\n%s", diff)
	}
}
