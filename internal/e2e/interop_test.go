//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// TestInterop calls every handler of plugins that use Grafana's SDK through our client, and
// every handler of plugins that use our SDK through the client of Grafana's. The plugins
// echo requests, so that responses show what arrived in both directions. Grafana's SDK
// on both ends is the control: it shows that the expectations are those of the protocol.
func TestInterop(t *testing.T) {
	t.Parallel()
	existing, ours := existingPrograms(t), ourPrograms(t)
	for _, kind := range []string{"datasource", "app"} {
		t.Run("existing plugin in our host/"+kind, func(t *testing.T) {
			t.Parallel()
			compare(t, driveClient(t, existing+kind, kind), expected(kind, existingInOurs()))
		})
		t.Run("our plugin in existing host/"+kind, func(t *testing.T) {
			t.Parallel()
			compare(t, driveHost(t, existing+"host", ours+kind, kind), expected(kind, oursInExisting()))
		})
		t.Run("existing plugin in existing host/"+kind, func(t *testing.T) {
			t.Parallel()
			compare(t, driveHost(t, existing+"host", existing+kind, kind), expected(kind, existingInExisting()))
		})
	}
	t.Run("existing plugin in our host/hello", func(t *testing.T) {
		t.Parallel()
		got := driveClient(t, existing+"hello", "datasource")
		want := expectedHello(got, func(string) string {
			return `{"error":{"unsupported":true,"message":"the plugin does not support this call: unimplemented"}}`
		})
		want["CollectMetrics"] = `{"result":""}` // only those of the SDK
		compare(t, got, want)
	})
	t.Run("our plugin in existing host/hello", func(t *testing.T) {
		t.Parallel()
		got := driveHost(t, existing+"host", ours+"hello", "datasource")
		compare(t, got, expectedHello(got, func(call string) string {
			kind, _, _ := strings.Cut(call, " ")
			switch kind {
			case "CollectMetrics":
				return `{"error":{"code":"Unimplemented","message":"the plugin has no handler for CollectMetrics"}}`
			case "CallResource":
				return `{"error":{"code":"Unimplemented","message":"unknown service pluginv2.Resource"}}`
			case "RunStream":
				return `{"result":[],"error":{"code":"Unimplemented","message":"unknown service pluginv2.Stream"}}`
			}
			return `{"error":{"code":"Unimplemented","message":"unknown service pluginv2.Stream"}}`
		}))
	})
}

// fullContext is the context that both hosts send. Every field has a distinct value.
func fullContext(kind string) sdk.Context {
	settings := sdk.Settings{
		JSON: json.RawMessage(`{"region":"north"}`), Secrets: map[string]string{"key": "s3cret"},
		Updated: time.UnixMilli(1767225600123), APIVersion: "v1",
	}
	c := sdk.Context{
		OrgID: 3, Namespace: "stacks-7", PluginID: "interop-echo-" + kind, PluginVersion: "1.2.3", APIVersion: "v0alpha1",
		UserAgent: "Grafana/12.1.0 (linux; amd64)", Config: sdk.Config{
			"GF_APP_URL": "http://localhost:3000/", "GF_INSTANCE_FEATURE_TOGGLES_ENABLE": "first,second", "GF_CONCURRENT_QUERY_COUNT": "10",
			"GF_SQL_ROW_LIMIT": "1000000", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "100", "GF_SQL_MAX_IDLE_CONNS_DEFAULT": "50", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT": "14400",
		},
		User: &sdk.User{Login: "jo", Name: "Jo Ö", Email: "jo@localhost", Role: "Editor"},
	}
	if kind == "app" {
		c.App = &sdk.App{Settings: settings}
		return c
	}
	c.DataSource = &sdk.DataSource{
		Settings: settings, ID: 42, UID: "uid-42", Name: "North", URL: "http://north.example/api", User: "reader", Database: "metrics",
		BasicAuth: true, BasicAuthUser: "basic",
	}
	return c
}

// bareContext has only what a call must have.
func bareContext(kind string) sdk.Context {
	if kind == "app" {
		return sdk.Context{OrgID: 4, App: &sdk.App{}}
	}
	return sdk.Context{OrgID: 4, DataSource: &sdk.DataSource{Settings: sdk.Settings{}, UID: "bare"}}
}

// seen returns the echo of a call with fullContext, with more members.
func seen(kind, more string) string {
	settings := `"json":{"region":"north"},"secrets":{"key":"s3cret"},"updated":1767225600123,"apiVersion":"v1"`
	member, object := "app", "{"+settings+"}"
	if kind == "datasource" {
		member = "dataSource"
		object = `{` + settings + `,"id":42,"uid":"uid-42","name":"North","url":"http://north.example/api","user":"reader","database":"metrics","basicAuth":true,"basicAuthUser":"basic"}`
	}
	return `{"orgId":3,"namespace":"stacks-7","pluginId":"interop-echo-` + kind + `","pluginVersion":"1.2.3","apiVersion":"v0alpha1",` +
		`"userAgent":"Grafana/12.1.0 (linux; amd64)","config":{"GF_APP_URL":"http://localhost:3000/","GF_INSTANCE_FEATURE_TOGGLES_ENABLE":"first,second","GF_CONCURRENT_QUERY_COUNT":"10",` +
		`"GF_SQL_ROW_LIMIT":"1000000","GF_SQL_MAX_OPEN_CONNS_DEFAULT":"100","GF_SQL_MAX_IDLE_CONNS_DEFAULT":"50","GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT":"14400"},` +
		`"understood":{"appUrl":"http://localhost:3000/","first":true,"third":false,"queries":10,"rows":1000000,"open":100,"idle":50,"lifetime":14400},` +
		`"user":{"login":"jo","name":"Jo Ö","email":"jo@localhost","role":"Editor"},` +
		`"` + member + `":` + object + `,"made":` + object + more + `}`
}

// seenBare returns the echo of a call with bareContext. updated is the member with the
// time of the settings, as the plugin understands it.
func seenBare(kind, updated string) string {
	member, object := "app", "{"+updated+"}"
	if kind == "datasource" {
		if updated != "" {
			updated += ","
		}
		member, object = "dataSource", "{"+updated+`"uid":"bare"}`
	}
	return `{"orgId":4,"` + member + `":` + object + `,"made":` + object + `}`
}

const (
	sentHeaders = `,"headers":{"http_X-Trace":"t1","Authorization":"Bearer abc","FromAlert":"true"}`
	ok          = `"status":"OK","message":"fine","details":`
)

// seriesFrame returns the frame of a query or a stream. The first row is at from, the
// second 1 s and 7 ns later, and the third 1 min later.
func seriesFrame(refID string, from int64) string {
	return fmt.Sprintf(`{"schema":{"name":"series"%s,"meta":{"type":"timeseries-multi","typeVersion":[0,0],"notices":[{"severity":"warning","text":"careful"}],"executedQueryString":"up"},`+
		`"fields":[{"name":"time","type":"time","typeInfo":{"frame":"time.Time"}},`+
		`{"name":"value","type":"number","typeInfo":{"frame":"float64","nullable":true},"labels":{"host":"a"},"config":{"unit":"ms"}}]},`+
		`"data":{"values":[[%d,%d,%d],[1.5,null,null]],"entities":[null,{"NaN":[2]}],"nanos":[[0,7,0],null]}}`,
		refIDMember(refID), from, from+1000, from+60_000)
}

func refIDMember(refID string) string {
	if refID == "" {
		return ""
	}
	return `,"refId":"` + refID + `"`
}

// expected returns the outcome of each call: what both SDKs agree on, and what is
// specific to a pair of them. Two keys of special are not calls: "updated" is the time
// that a plugin assigns to settings without one, and "absent" is the response to a
// query without one.
func expected(kind string, special map[string]string) map[string]string {
	stream := func(path string) string {
		return seen(kind, sentHeaders+`,"stream":{"path":"`+path+`","data":{"hello":"wörld"}}`)
	}
	echoed := seen(kind, sentHeaders+`,"query":{"refId":"echo","type":"echo","json":{"q":"up","n":1},"from":1767225600001,"to":1767229200002,"interval":1500000000,"maxDataPoints":321}`)
	requested := seen(kind, `,"resource":{"method":"PATCH","path":"echo/größe 1","query":"a=1&b=x%20y&a=2","header":{"X-One":["1"],"X-Many":["a","b"]},"body":"AAH+/w=="}`)
	want := map[string]string{
		"CheckHealth ok":      `{"result":{` + ok + seen(kind, sentHeaders) + `}}`,
		"CheckHealth sick":    `{"result":{"status":"ERROR","message":"sick","details":` + seen(kind, `,"headers":{"http_X-Health":"sick"}`) + `}}`,
		"CheckHealth unknown": `{"result":{"status":"UNKNOWN","message":"unknown","details":` + seen(kind, `,"headers":{"http_X-Health":"unknown"}`) + `}}`,

		"QueryData none": `{"result":{}}`,
		"QueryData all": `{"result":{` +
			`"echo":{"status":200,"frames":[{"schema":{"name":"echo","refId":"echo","fields":[{"name":"seen","type":"string","typeInfo":{"frame":"string"}}]},"data":{"values":[[` + echoed + `]]}}]},` +
			`"series":{"status":206,"frames":[` + seriesFrame("series", 1767225600001) + `,{"schema":{"name":"empty","refId":"series","fields":[]},"data":{"values":[]}}]},` +
			`"plugin":{"status":500,"source":"plugin","error":"a bug"},` +
			`"downstream":{"status":429,"source":"downstream","error":"too many"},` +
			`"partial":{"status":504,"source":"downstream","error":"in part","frames":[` + seriesFrame("partial", 1767225600001) + `]},` +
			`"plain":{"status":500,"source":"plugin","error":"no more is known"}}}`,

		"CallResource echo":    `{"result":[{"status":201,"headers":{"Content-Type":["application/json"],"X-Multi":["a","b"]},"body":` + requested + `}]}`,
		"CallResource pieces":  `{"result":[{"status":202,"headers":{"Content-Type":["text/plain"],"X-Multi":["a","b"]},"body":"one"},{"body":"two"},{"body":"three"}]}`,
		"CallResource missing": `{"result":[{"status":404,"headers":{"Content-Type":["application/json"],"X-Multi":["a","b"]},"body":"{\"message\":\"there is no such thing\",\"errorSource\":\"downstream\"}\n"}]}`,
		"CallResource ended":   `{"result":[{"status":200,"headers":{"Content-Type":["text/plain"],"X-Multi":["a","b"]},"body":"the stream ended"}]}`,

		"SubscribeStream ticks":  `{"result":{"status":0,"data":` + stream("ticks") + `}}`,
		"PublishStream ticks":    `{"result":{"status":0,"data":` + stream("ticks") + `}}`,
		"SubscribeStream silent": `{"result":{"status":0,"data":null}}`,
		"PublishStream silent":   `{"result":{"status":0,"data":null}}`,
		"RunStream ticks":        `{"result":[` + stream("ticks") + `,` + seriesFrame("", 0) + `]}`,
		"RunStream forever":      `{"result":[{"n":1},{"n":1},{"n":1}]}`,

		"CollectMetrics": `{"result":"# HELP interop_health_checks_total Health checks.\n# TYPE interop_health_checks_total counter\ninterop_health_checks_total 5\n"}`,
	}
	for call, text := range special {
		switch call {
		case "updated":
			want["CheckHealth bare"] = `{"result":{` + ok + seenBare(kind, text) + `}}`
		case "absent":
			want["QueryData all"] = strings.Replace(want["QueryData all"], `{"result":{`, `{"result":{"absent":`+text+`,`, 1)
		default:
			want[call] = text
		}
	}
	return want
}

// existingInOurs returns how our client reports the errors from Grafana's SDK, which
// have no status for a whole call, and a source for queries only.
func existingInOurs() map[string]string {
	return map[string]string{
		"updated":                   ``, // we send 0, which the plugin reads as 1970
		"CheckHealth broken":        `{"error":{"status":500,"source":"plugin","message":"the upstream is down"}}`,
		"QueryData fail plugin":     `{"error":{"status":500,"source":"plugin","message":"a bug in all"}}`,
		"QueryData fail downstream": `{"error":{"status":500,"source":"downstream","message":"all denied"}}`,
		"QueryData fail plain":      `{"error":{"status":500,"source":"plugin","message":"no more is known"}}`,
		"QueryData panic":           `{"error":{"status":500,"source":"plugin","message":"panic triggered: oh no"}}`,
		"CallResource broken":       `{"result":[{"status":200,"body":"half"}],"error":{"status":500,"source":"plugin","message":"the other half is missing"}}`,
		"SubscribeStream missing":   `{"error":{"status":404,"source":"downstream","message":"the plugin has no channel \"missing\""}}`,
		"PublishStream missing":     `{"error":{"status":404,"source":"downstream","message":"the plugin has no channel \"missing\""}}`,
		"SubscribeStream secret":    `{"error":{"status":403,"source":"downstream","message":"the plugin denies access to channel \"secret\""}}`,
		"PublishStream secret":      `{"error":{"status":403,"source":"downstream","message":"the plugin denies access to channel \"secret\""}}`,
		"SubscribeStream broken":    `{"error":{"status":500,"source":"plugin","message":"the broker is down"}}`,
		"PublishStream broken":      `{"error":{"status":500,"source":"plugin","message":"the broker is down"}}`,
		"RunStream broken":          `{"result":[{"n":1}],"error":{"status":500,"source":"plugin","message":"the broker is down"}}`,
		"RunStream refused":         `{"result":[{"n":1}],"error":{"status":500,"source":"plugin","message":"never again"}}`,
	}
}

// inExisting returns how the existing client reports refusals, and more.
func inExisting(more map[string]string) map[string]string {
	want := map[string]string{
		"SubscribeStream missing": `{"result":{"status":1,"data":null}}`,
		"PublishStream missing":   `{"result":{"status":1,"data":null}}`,
		"SubscribeStream secret":  `{"result":{"status":2,"data":null}}`,
		"PublishStream secret":    `{"result":{"status":2,"data":null}}`,
	}
	maps.Copy(want, more)
	return want
}

// oursInExisting returns how the existing client reports our errors. A failed call has a
// source, a panic has no details, a query without a response gets one, and a stream that
// must not be restarted ends without an error.
func oursInExisting() map[string]string {
	return inExisting(map[string]string{
		"updated":                   ``, // zero, though the host sends a time in 1754
		"absent":                    `{"status":500,"source":"plugin","error":"the plugin returned no response to query absent"}`,
		"CheckHealth broken":        `{"result":{"status":"ERROR","message":"the upstream is down","details":{"errorSource":"downstream","status":502}}}`,
		"QueryData fail plugin":     `{"error":{"code":"Unknown","source":"plugin","message":"a bug in all"}}`,
		"QueryData fail downstream": `{"error":{"code":"PermissionDenied","source":"downstream","message":"all denied"}}`,
		"QueryData fail plain":      `{"error":{"code":"Unknown","source":"plugin","message":"no more is known"}}`,
		"QueryData panic":           `{"error":{"code":"Internal","message":"the plugin failed on this call; see its log"}}`,
		"CallResource broken":       `{"result":[{"status":200,"headers":{"Content-Type":["text/plain"],"X-Multi":["a","b"]},"body":"half"}],"error":{"code":"Unknown","message":"the other half is missing","source":"downstream"}}`,
		"SubscribeStream broken":    `{"error":{"code":"Unknown","source":"downstream","message":"the broker is down"}}`,
		"PublishStream broken":      `{"error":{"code":"Unknown","source":"downstream","message":"the broker is down"}}`,
		"RunStream broken":          `{"result":[{"n":1}],"error":{"code":"Unknown","source":"downstream","message":"the broker is down"}}`,
		"RunStream refused":         `{"result":[{"n":1}]}`,
		"CollectMetrics":            `{"result":"# HELP interop_health_checks_total Health checks.\n# TYPE interop_health_checks_total counter\ninterop_health_checks_total 5\ninterop_org 3\n"}`,
	})
}

// existingInExisting is the control.
func existingInExisting() map[string]string {
	return inExisting(map[string]string{
		"updated":                   `"updated":-6795364578871`, // a zero time overflows in its conversion
		"CheckHealth broken":        `{"error":{"code":"Unknown","message":"the upstream is down"}}`,
		"QueryData fail plugin":     `{"error":{"code":"Unknown","source":"plugin","message":"a bug in all"}}`,
		"QueryData fail downstream": `{"error":{"code":"Unknown","source":"downstream","message":"all denied"}}`,
		"QueryData fail plain":      `{"error":{"code":"Unknown","message":"no more is known"}}`,
		"QueryData panic":           `{"error":{"code":"Unknown","message":"panic triggered: oh no"}}`,
		"CallResource broken":       `{"result":[{"status":200,"body":"half"}],"error":{"code":"Unknown","message":"the other half is missing"}}`,
		"SubscribeStream broken":    `{"error":{"code":"Unknown","message":"the broker is down"}}`,
		"PublishStream broken":      `{"error":{"code":"Unknown","message":"the broker is down"}}`,
		"RunStream broken":          `{"result":[{"n":1}],"error":{"code":"Unknown","message":"the broker is down"}}`,
		"RunStream refused":         `{"result":[{"n":1}],"error":{"code":"Unknown","message":"never again"}}`,
	})
}

// expectedHello returns the outcome of the same calls to a plugin that only supports
// health and queries.
func expectedHello(calls map[string]any, unsupported func(call string) string) map[string]string {
	response := func(query string) string {
		return `{"status":200,"frames":[{"schema":{"name":"hello"` + refIDMember(query) + `,"fields":[{"name":"time","type":"time","typeInfo":{"frame":"time.Time"}},{"name":"value","type":"number","typeInfo":{"frame":"float64"}}]},"data":{"values":[[1767225600001,1767229200002],[1,2]]}}]}`
	}
	want := map[string]string{}
	for call := range calls {
		switch {
		case strings.HasPrefix(call, "CheckHealth"):
			want[call] = `{"result":{"status":"OK","message":"hello","details":null}}`
		case call == "QueryData none":
			want[call] = `{"result":{}}`
		case call == "QueryData all":
			var all []string
			for _, id := range []string{"echo", "series", "plugin", "downstream", "partial", "plain", "absent"} {
				all = append(all, `"`+id+`":`+response(id))
			}
			want[call] = `{"result":{` + strings.Join(all, ",") + `}}`
		case strings.HasPrefix(call, "QueryData"):
			want[call] = `{"result":{"A":` + response("A") + `}}`
		default:
			want[call] = unsupported(call)
		}
	}
	return want
}

// compare requires the same calls with the same outcomes.
func compare(t *testing.T, got map[string]any, want map[string]string) {
	t.Helper()
	if len(want) < 28 {
		t.Errorf("only %d expected calls", len(want))
	}
	calls := maps.Clone(want)
	for call := range got {
		calls[call] = ""
	}
	for _, call := range slices.Sorted(maps.Keys(calls)) {
		text, expected := want[call]
		outcome, made := got[call]
		if !made || !expected {
			t.Errorf("%s: called %t, expected %t", call, made, expected)
			continue
		}
		if diff := cmp.Diff(canonical(t, json.RawMessage(text)), canonical(t, outcome)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
}

// canonical decodes the JSON of a value. It leaves out members that are null, decodes an
// echo inside a string, and reduces metrics to those of the plugin.
func canonical(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v in %s", err, v)
	}
	return unfold(t, decode(t, text))
}

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func unfold(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
				continue
			}
			v[name] = unfold(t, member)
		}
	case []any:
		for n, item := range v {
			v[n] = unfold(t, item)
		}
	case string:
		if strings.HasPrefix(v, `{"orgId"`) {
			return unfold(t, decode(t, []byte(v)))
		}
		if strings.HasPrefix(v, "# HELP ") {
			var own strings.Builder
			for line := range strings.Lines(v) {
				if strings.Contains(line, "interop_") {
					own.WriteString(line)
				}
			}
			return own.String()
		}
	}
	return v
}

// driveHost makes the host that uses Grafana's SDK call a plugin. It returns the outcomes by
// call.
func driveHost(t *testing.T, host, plugin, kind string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, host, "-type", kind, plugin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout.Bytes(), stderr.Bytes())
	}
	outcomes := map[string]any{}
	for line := range bytes.Lines(stdout.Bytes()) {
		var l struct {
			Call   string          `json:"call"`
			Result json.RawMessage `json:"result,omitempty"`
			Error  json.RawMessage `json:"error,omitempty"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.Call == "Start" {
			var process struct{ PID int }
			if err := json.Unmarshal(l.Result, &process); err != nil || process.PID == 0 {
				t.Errorf("no process id: %v in %s", err, line)
			}
			if isAlive(process.PID) {
				t.Errorf("the process %d of %s was left behind", process.PID, plugin)
			}
			continue
		}
		if outcomes[l.Call] != nil {
			t.Errorf("%s was called twice", l.Call)
		}
		call := l.Call
		l.Call = ""
		outcomes[call] = struct {
			Result json.RawMessage `json:"result,omitempty"`
			Error  json.RawMessage `json:"error,omitempty"`
		}{l.Result, l.Error}
	}
	return outcomes
}

// client calls a plugin through our loader and our client.
type client struct {
	plugin *backend.Client
	kind   string
	got    map[string]any
}

// outcome is the outcome of a call, with the members that the existing host prints.
type outcome struct {
	Result any        `json:"result,omitempty"`
	Error  *callError `json:"error,omitempty"`
}

// callError is an error from our client.
type callError struct {
	Status      int        `json:"status,omitempty"`
	Source      sdk.Source `json:"source,omitempty"`
	Message     string     `json:"message"`
	Unsupported bool       `json:"unsupported,omitempty"`
}

// driveClient starts a plugin and makes the same calls as the existing host.
func driveClient(t *testing.T, executable, kind string) map[string]any {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "plugin")
	testkit.OK(t, os.Mkdir(dir, 0o755))
	id := "interop-echo-" + kind
	metadata := fmt.Sprintf(`{"id":%q,"name":"Echo","type":%q,"backend":true,"executable":"gpx_echo","info":{"version":"1.2.3"}}`, id, kind)
	testkit.OK(t, os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644))
	testkit.OK(t, os.Link(executable, filepath.Join(dir, bundle.Host().Executable("gpx_echo"))))
	plugins, faults := bundle.Discover(root)
	if len(plugins) != 1 {
		t.Fatalf("found %v, faults %v", plugins, faults)
	}
	p := testkit.Must(loader.Start(t.Context(), plugins[0], loader.Options{
		HostVersion: "12.1.0", AppURL: "http://localhost:3000/", Environ: os.Environ(),
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, loader.Output{}))(t)
	defer func() {
		if err := p.Stop(); err != nil || isAlive(p.PID()) {
			t.Errorf("the process %d was left behind: %v", p.PID(), err)
		}
	}()
	c := &client{plugin: p.Client(), kind: kind, got: map[string]any{}}
	c.health(t)
	c.query(t)
	c.resources(t)
	c.streams(t)
	c.try(t, "CollectMetrics", func(ctx context.Context, s *backend.Client) (any, error) {
		text, err := s.CollectMetrics(ctx, &sdk.CollectMetricsRequest{Context: fullContext(kind)})
		return string(text), err
	})
	select {
	case <-p.Exited():
		t.Errorf("the plugin did not survive the calls: %s", p.Result())
	default:
	}
	return c.got
}

// try makes a call and records its outcome.
func (c *client) try(t *testing.T, name string, call func(context.Context, *backend.Client) (any, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var o outcome
	var err error
	if o.Result, err = call(ctx, c.plugin); err != nil {
		o.Error = &callError{Message: err.Error(), Unsupported: errors.Is(err, backend.ErrUnsupported)}
		if e, ok := errors.AsType[*sdk.Error](err); ok {
			o.Error.Status, o.Error.Source, o.Error.Message = e.Status, e.Source, e.Message
		}
		if v, ok := o.Result.([]any); !ok || len(v) == 0 {
			o.Result = nil // not a zero value
		}
	}
	c.got[name] = o
}

func headers() map[string]string {
	return map[string]string{"http_X-Trace": "t1", "Authorization": "Bearer abc", "FromAlert": "true"}
}

func (c *client) health(t *testing.T) {
	t.Helper()
	check := func(name string, as sdk.Context, headers map[string]string) {
		c.try(t, "CheckHealth "+name, func(ctx context.Context, s *backend.Client) (any, error) {
			r, err := s.CheckHealth(ctx, &sdk.CheckHealthRequest{Context: as, Headers: headers})
			if err != nil {
				return nil, err
			}
			return map[string]any{"status": r.Status, "message": r.Message, "details": nullable(r.Details)}, nil
		})
	}
	full := fullContext(c.kind)
	check("ok", full, headers())
	check("bare", bareContext(c.kind), nil)
	for _, as := range []string{"sick", "unknown", "broken"} {
		check(as, full, map[string]string{"http_X-Health": as})
	}
}

func (c *client) query(t *testing.T) {
	t.Helper()
	ask := func(name string, queries ...sdk.Query) {
		c.try(t, "QueryData "+name, func(ctx context.Context, s *backend.Client) (any, error) {
			for i := range queries {
				queries[i].TimeRange = sdk.TimeRange{From: time.UnixMilli(1767225600001), To: time.UnixMilli(1767229200002)}
				queries[i].Interval, queries[i].MaxDataPoints = 1500*time.Millisecond, 321
			}
			responses, err := s.QueryData(ctx, &sdk.QueryDataRequest{Context: fullContext(c.kind), Headers: headers(), Queries: queries})
			if err != nil {
				return nil, err
			}
			return readable(responses)
		})
	}
	one := func(refID, kind, model string) sdk.Query {
		return sdk.Query{RefID: refID, Type: kind, JSON: json.RawMessage(model)}
	}
	ask("all",
		one("echo", "echo", `{"q":"up","n":1}`), one("series", "series", `{}`),
		one("plugin", "error", `{"status":500,"source":"plugin","message":"a bug"}`),
		one("downstream", "error", `{"status":429,"source":"downstream","message":"too many"}`),
		one("partial", "partial", `{"status":504,"source":"downstream","message":"in part"}`),
		one("plain", "plain", `{"message":"no more is known"}`), one("absent", "absent", `{}`))
	ask("fail plugin", one("A", "fail", `{"source":"plugin","message":"a bug in all"}`))
	ask("fail downstream", one("A", "fail", `{"source":"downstream","status":403,"message":"all denied"}`))
	ask("fail plain", one("A", "fail", `{"message":"no more is known"}`))
	ask("panic", one("A", "panic", `{"message":"oh no"}`))
	ask("none")
}

// readable decodes the frames of responses and splits up their errors.
func readable(responses sdk.QueryDataResponse) (any, error) {
	type response struct {
		Frames []*frame.Frame `json:"frames,omitempty"`
		Status int            `json:"status"`
		Error  string         `json:"error,omitempty"`
		Source sdk.Source     `json:"source,omitempty"`
	}
	out := map[string]response{}
	for id, r := range responses {
		list := make([]*frame.Frame, len(r.Frames))
		for n, f := range r.Frames {
			file, err := f.MarshalArrow()
			if err != nil {
				return nil, err
			}
			if list[n], err = frame.Parse(file); err != nil {
				return nil, fmt.Errorf("frame %d: %w", n, err)
			}
		}
		a := response{Frames: list, Status: r.Status}
		if r.Err != nil {
			e, ok := errors.AsType[*sdk.Error](r.Err)
			if !ok || e.Status != r.Status {
				return nil, fmt.Errorf("%s has status %d and the error %#v", id, r.Status, r.Err)
			}
			a.Error, a.Source = e.Message, e.Source
		}
		out[id] = a
	}
	return out, nil
}

// nullable returns nil for empty JSON.
func nullable(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	return text
}

// piece is one message of a response to CallResource.
type piece struct {
	Status  int         `json:"status,omitempty"`
	Headers http.Header `json:"headers,omitempty"`
	Body    string      `json:"body"`
}

func (c *client) resources(t *testing.T) {
	t.Helper()
	call := func(ctx context.Context, s *backend.Client, req *backend.CallResourceRequest, each func(string) error) (any, error) {
		req.Context = fullContext(c.kind)
		var pieces []any
		err := s.CallResource(ctx, req, func(r backend.CallResourceResponse) error {
			pieces = append(pieces, piece{r.Status, r.Header, string(r.Body)})
			return each(string(r.Body))
		})
		return pieces, err
	}
	get := func(path string) *backend.CallResourceRequest {
		return &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: path}
	}
	take := func(string) error { return nil }
	for name, req := range map[string]*backend.CallResourceRequest{
		"missing": get("nope"), "broken": get("broken"),
		"echo": {
			Method: http.MethodPatch, Path: "echo/größe 1", URL: "echo/größe 1?a=1&b=x%20y&a=2",
			Header: http.Header{"X-One": {"1"}, "X-Many": {"a", "b"}}, Body: []byte{0, 1, 0xfe, 0xff},
		},
	} {
		c.try(t, "CallResource "+name, func(ctx context.Context, s *backend.Client) (any, error) { return call(ctx, s, req, take) })
	}
	// Another call makes the plugin send the next piece.
	c.try(t, "CallResource pieces", func(ctx context.Context, s *backend.Client) (any, error) {
		return call(ctx, s, get("pieces"), func(body string) error {
			if body != "one" && body != "two" {
				return nil
			}
			_, err := call(ctx, s, get("next"), take)
			return err
		})
	})
}

func (c *client) streams(t *testing.T) {
	t.Helper()
	request := func(path string) *sdk.StreamRequest {
		return &sdk.StreamRequest{Context: fullContext(c.kind), Headers: headers(), Path: path, Data: json.RawMessage(`{"hello":"wörld"}`)}
	}
	for _, path := range []string{"ticks", "silent", "missing", "secret", "broken"} {
		c.try(t, "SubscribeStream "+path, func(ctx context.Context, s *backend.Client) (any, error) {
			initial, err := s.SubscribeStream(ctx, request(path))
			return map[string]any{"status": 0, "data": nullable(initial)}, err
		})
		c.try(t, "PublishStream "+path, func(ctx context.Context, s *backend.Client) (any, error) {
			published, err := s.PublishStream(ctx, request(path))
			return map[string]any{"status": 0, "data": nullable(published)}, err
		})
	}
	enough := errors.New("enough")
	for _, path := range []string{"ticks", "broken", "refused", "forever"} {
		c.try(t, "RunStream "+path, func(ctx context.Context, s *backend.Client) (any, error) {
			var packets []any
			err := s.RunStream(ctx, request(path), func(packet json.RawMessage) error {
				if packets = append(packets, packet); path == "forever" && len(packets) == 3 {
					return enough
				}
				return nil
			})
			if path == "forever" && errors.Is(err, enough) {
				err = nil
			}
			return packets, err
		})
	}
	// The canceled stream must have ended.
	c.try(t, "CallResource ended", func(ctx context.Context, s *backend.Client) (any, error) {
		var pieces []any
		err := s.CallResource(ctx, &backend.CallResourceRequest{Context: fullContext(c.kind), Method: http.MethodGet, Path: "ended", URL: "ended"}, func(r backend.CallResourceResponse) error {
			pieces = append(pieces, piece{r.Status, r.Header, string(r.Body)})
			return nil
		})
		return pieces, err
	})
}
