package verbs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

func TestScaffoldAsks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	var out bytes.Buffer
	in := strings.NewReader("pannel\npanel\nhello\nacme-x-panel\n  Round gauge \nnone\n\nperhaps\nyes\n")
	if err := runScaffold(t.Context(), &out, scaffoldOptions{Options: templates.Options{Dir: dir}, In: in}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{
		"type (app, datasource, panel, renderer, secretsmanager): ", `did you mean "panel"?`,
		"id, such as acme-hello-panel: ", `invalid plugin id "hello"`, "panel [acme-hello-panel]: ", "name shown to users [X]: ",
		"profile (service, grafana, both) [both]: ", `unknown profile "none"`,
		"backend (no, yes) [no]: ", `unknown response "perhaps"; use one of no, yes`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	plugin := testkit.ReadFile(t, filepath.Join(dir, "src", "plugin.json"))
	for _, want := range []string{`"name": "Round gauge"`, `"backend": true`, `"serviceDependency"`, `"grafanaDependency"`} {
		if !strings.Contains(plugin, want) {
			t.Errorf("%s is missing in\n%s", want, plugin)
		}
	}
}

func TestScaffoldAsksOnlyForWhatIsMissing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := templates.Options{Type: "renderer", Name: "X", Profile: "grafana", Dir: filepath.Join(t.TempDir(), "new")}
	if err := runScaffold(t.Context(), &out, scaffoldOptions{Options: o, In: strings.NewReader("acme-x-renderer\n")}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := strings.Count(out.String(), ": "); !strings.HasPrefix(out.String(), "id, such as acme-hello-renderer: ") || strings.Contains(out.String(), "[") {
		t.Errorf("%d questions:\n%s", got, &out)
	}
	if schema := testkit.ReadFile(t, filepath.Join(o.Dir, "plugin.schema.json")); !strings.Contains(schema, `"grafanaDependency"`) {
		t.Error("the schema for editors is not that of the profile")
	}
}

// With an id, only the profile is asked for; without a terminal, it is both.
func TestScaffoldAsksForTheProfile(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{"grafana\n": "grafana", "\n": "both", "": "both"} {
		var out bytes.Buffer
		o := scaffoldOptions{Options: templates.Options{Type: "app", ID: "acme-x-app", Dir: filepath.Join(t.TempDir(), "new")}}
		if input != "" {
			o.In = strings.NewReader(input)
		}
		if err := runScaffold(t.Context(), &out, o); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		if asked := strings.HasPrefix(out.String(), "profile (service, grafana, both) [both]: "); asked != (input != "") || strings.Contains(out.String(), "name shown") {
			t.Errorf("with the input %q: asked %t:\n%s", input, asked, &out)
		}
		if record := testkit.ReadFile(t, filepath.Join(o.Dir, ".slipway-scaffold.json")); !strings.Contains(record, `"`+want+`"`) {
			t.Errorf("with the input %q: the record does not name the profile %s:\n%.300s", input, want, record)
		}
	}
}

func TestScaffoldAsksOnATerminalOnly(t *testing.T) {
	t.Parallel()
	err := missingScaffold(Call{Face: Mage}, false)
	want := "cannot ask for the type and id: standard input is not a terminal; run 'go tool mage scaffold <type> <id>' instead"
	if code(err) != ExitUsage || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestScaffoldCanceled ends the input, or cancels the context, after each number of
// responses.
func TestScaffoldCanceled(t *testing.T) {
	t.Parallel()
	responses := []string{"app\n", "acme-x-app\n", "X\n", "service\n"}
	for n := range len(responses) + 1 {
		entered := strings.Join(responses[:n], "")
		canceled, cancel := context.WithCancel(t.Context())
		silent, terminal := io.Pipe()
		checkCanceled(t, t.Context(), strings.NewReader(entered))
		stop := time.AfterFunc(10*time.Millisecond, cancel)
		checkCanceled(t, canceled, io.MultiReader(strings.NewReader(entered), silent))
		stop.Stop()
		cancel()
		_ = terminal.Close()
	}
}

func checkCanceled(t *testing.T, ctx context.Context, in io.Reader) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new")
	err := runScaffold(ctx, io.Discard, scaffoldOptions{Options: templates.Options{Dir: dir}, In: in})
	if code(err) != ExitUsage || !strings.Contains(err.Error(), "canceled; nothing was written") {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory exists (%v)", err)
	}
}

func TestScaffoldList(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	testkit.OK(t, runScaffold(t.Context(), &out, scaffoldOptions{List: true}))
	for _, name := range append(templates.TypeNames(), templates.ProfileNames()...) {
		if !strings.Contains(out.String(), "\n  "+name+" ") {
			t.Errorf("%s is missing in\n%s", name, &out)
		}
	}
}
