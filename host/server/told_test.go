package server

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	tellerName = "gpx_teller"
	tellerID   = "acme-teller-datasource"
)

// told is what a call told the plugin.
type told struct {
	Context sdk.Context       `json:"context"`
	Headers map[string]string `json:"headers,omitempty"` // as the protocol spells them
	Header  http.Header       `json:"header,omitempty"`  // of a resource request
}

// process is what a process was told when it started.
type process struct {
	Environment []string `json:"environment"`
	Directory   string   `json:"directory"`
}

// teller returns a plugin that responds with everything that it is told.
func teller() sdk.Plugin {
	return sdk.Plugin{
		QueryData: func(_ context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			text, err := json.Marshal(told{Context: req.Context, Headers: req.Headers})
			return sdk.QueryDataResponse{"A": {Frames: []sdk.Frame{frame.New("", frame.Of("told", []string{string(text)}))}}}, err
		},
		CheckHealth: func(_ context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			text, err := json.Marshal(told{Context: req.Context, Headers: req.Headers})
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Details: text}, err
		},
		Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/process":
				dir, err := os.Getwd()
				if err != nil {
					sdk.WriteError(w, r, err)
					return
				}
				_ = json.NewEncoder(w).Encode(process{os.Environ(), dir})
			case "/answer":
				for _, name := range []string{"X-Own", "X-Request-Id", "X-Frame-Options", "X-Accel-Redirect", "X-Sendfile", "Set-Cookie"} {
					w.Header().Set(name, "of the plugin")
				}
				w.WriteHeader(http.StatusOK) // before the SDK guesses the type
				_, _ = w.Write([]byte("{}"))
			case "/large":
				w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
			default:
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(told{Context: sdk.ContextOf(r.Context()), Header: r.Header})
			}
		}),
	}
}

// tellerHost is a host with the plugin.
type tellerHost struct {
	*testing.T
	*Server
	pluginDir string
}

// openTeller opens a host with the plugin and a data source of it.
func openTeller(t *testing.T, o Options) tellerHost {
	t.Helper()
	root := t.TempDir()
	h := tellerHost{T: t, pluginDir: filepath.Join(root, tellerID)}
	writePlugin(t, h.pluginDir, tellerName, fmt.Sprintf(`{"id":%q,"name":"Teller","type":"datasource","backend":true,"executable":%q,"info":{"version":"1.2.3"},"dependencies":{},`+
		`"iam":{"permissions":[{"action":"datasources:query","scope":"datasources:uid:*"}]}}`, tellerID, tellerName))
	now := time.Unix(1_767_225_600, 0)
	o.Listen, o.DataDir, o.Database, o.AdminPassword = "127.0.0.1:0", t.TempDir(), filepath.Join(t.TempDir(), "slipway.db"), "a long password"
	o.PluginDirs, o.Toggles, o.Clock = []string{root}, []string{loader.ToggleServiceAccounts}, func() time.Time { return now }
	h.Server = open(t, o)
	h.mounting.Wait()
	h.ask("POST", "/api/datasources", h.basic(), `{"uid":"told","name":"Told","type":"`+tellerID+`","url":"http://north.example","user":"reader","database":"metrics",`+
		`"basicAuth":true,"basicAuthUser":"basic","jsonData":{"keepCookies":["kept","some[]","slipway[]"],"oauthPassThru":true},"secureJsonData":{"key":"s3cret"}}`)
	return h
}

// basic returns the header of the administrator.
func (h tellerHost) basic() http.Header {
	r := &http.Request{Header: http.Header{}}
	r.SetBasicAuth("admin", "a long password")
	return r.Header
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// send sends a request and returns the response, whose body has been read.
func (h tellerHost) send(method, path string, header http.Header, body string) (*http.Response, string) {
	h.Helper()
	r := testkit.Must(http.NewRequestWithContext(h.Context(), method, h.URL()+path, strings.NewReader(body)))(h.T)
	maps.Copy(r.Header, header)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got := testkit.Must(http.DefaultClient.Do(r))(h.T)
	defer got.Body.Close()
	text := testkit.Must(io.ReadAll(got.Body))(h.T)
	return got, string(text)
}

// ask sends a request that must succeed and returns the body.
func (h tellerHost) ask(method, path string, header http.Header, body string) string {
	h.Helper()
	got, text := h.send(method, path, header, body)
	if got.StatusCode >= 300 {
		h.Fatalf("%s %s: %d %s", method, path, got.StatusCode, text)
	}
	return text
}

// process returns what the process was told.
func (h tellerHost) process() (p process) {
	h.Helper()
	testkit.OK(h.T, json.Unmarshal([]byte(h.ask("GET", "/api/plugins/"+tellerID+"/resources/process", h.basic(), "")), &p))
	return p
}

// variable returns a variable of the process, or "".
func (h tellerHost) variable(name string) string {
	h.Helper()
	for _, entry := range h.process().Environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// fields decodes JSON.
func (h tellerHost) fields(text string) (v map[string]any) {
	h.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		h.Fatalf("%v in %s", err, text)
	}
	return v
}

// TestTold compares what a plugin is told with golden files, for each kind of caller. Every
// request has headers that a plugin must not receive. The host has no anonymous callers.
func TestTold(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	writeProvisioning(t, files, "plugins/a.yaml", "apiVersion: 1\nsettings:\n  - {type: "+tellerID+", values: {region: north}}\n")
	h := openTeller(t, Options{Provisioning: files, Environ: []string{"GF_DATAPROXY_SEND_USER_HEADER=true"}})

	signedIn, _ := h.send("POST", "/api/session", http.Header{"Origin": {h.URL()}}, `{"user":"admin","password":"a long password"}`)
	session := signedIn.Cookies()[0]
	account := h.fields(h.ask("POST", "/api/serviceaccounts", h.basic(), `{"name":"robot","role":"Viewer"}`))
	token := h.fields(h.ask("POST", fmt.Sprintf("/api/serviceaccounts/%v/tokens", account["id"]), h.basic(), `{"name":"t"}`))["key"].(string)
	own := h.variable("SVC_PLUGIN_APP_CLIENT_SECRET")
	if own == "" || own == token {
		t.Fatalf("the token of the plugin is %q", own)
	}
	credentials := []string{session.Value, token, own, "a long password", strings.TrimPrefix(h.basic().Get("Authorization"), "Basic ")}
	callers := map[string]http.Header{
		"browser":        {"Cookie": {session.Name + "=" + session.Value}, "Sec-Fetch-Site": {"same-origin"}},
		"password":       h.basic(),
		"serviceaccount": bearer(token),
		"plugin":         bearer(own),
	}
	for name, header := range callers {
		secret := header.Get("Authorization") + header.Get("Cookie")
		header.Set("Cookie", strings.Join([]string{header.Get("Cookie"), "kept=1", "other=2", "some_a=3", "kept2=4", "slipway_session_1=" + session.Value, "some_b=" + token}, "; "))
		for _, sent := range [][2]string{
			{"X-Dashboard-Uid", "board"}, {"X-Panel-Id", "7"}, {"X-Panel-Plugin-Id", "graph"}, {"X-Datasource-Uid", "told"}, {"X-Query-Group-Id", "g1"},
			{"X-Grafana-From-Expr", "true"}, {"FromAlert", "true"}, {"X-Rule-Uid", "r1"}, {"X-Grafana-Org-Id", "99"}, {"X-Id-Token", "id of another service"},
			{"X-Grafana-User", "forged"}, {"X-Grafana-Id", "forged"}, {"X-Forwarded-For", "10.0.0.1"}, {"X-Real-Ip", "10.0.0.1"},
			{"X-Own", "caf\xe9"}, {"X-Hop", "1"}, {"Connection", "X-Hop"}, {"X-Repeated", secret}, {"X-Panel-Title", secret}, {"Accept-Language", "de"}, {"Origin", h.URL()},
			{"User-Agent", "browser/1"}, {"X-Request-Id", "req-1"}, {"Accept-Encoding", "identity"},
		} {
			header.Set(sent[0], sent[1])
		}
		got := map[string]any{}
		var response struct {
			Results map[string]struct {
				Frames []struct {
					Data struct{ Values [][]string } `json:"data"`
				} `json:"frames"`
			} `json:"results"`
		}
		text := h.ask("POST", "/api/ds/query", header, `{"queries":[{"refId":"A","datasource":{"uid":"told"}}]}`)
		if err := json.Unmarshal([]byte(text), &response); err != nil || len(response.Results["A"].Frames) != 1 {
			t.Fatalf("%v in %s", err, text)
		}
		got["query"] = h.fields(response.Results["A"].Frames[0].Data.Values[0][0])
		got["health"] = h.fields(h.ask("GET", "/api/datasources/uid/told/health", header, ""))["details"]
		got["resource"] = h.fields(h.ask("GET", "/api/datasources/uid/told/resources/a", header, ""))
		h.compare(name, got, credentials)

		for _, passedOn := range []string{"FromAlert", "X-Rule-Name", "X-Id-Token", "X-Own", "Accept-Language", "User-Agent"} {
			header.Set(passedOn, secret)
		}
		for _, path := range []string{"health", "resources/a"} {
			text := h.ask("GET", "/api/datasources/uid/told/"+path, header, "")
			if slices.ContainsFunc(credentials, func(secret string) bool { return strings.Contains(text, secret) }) {
				t.Errorf("%s: the plugin was told a credential that the client repeated: %s", name, text)
			}
		}
	}
	h.compare("process", map[string]any{"environment": h.ownVariables(), "directory": filepath.Base(filepath.Dir(h.process().Directory))}, append(credentials[:2:2], credentials[3:]...))
}

// ownVariables returns the variables that the host adds.
func (h tellerHost) ownVariables() []string {
	h.Helper()
	var own []string
	for _, entry := range h.process().Environment {
		if strings.HasPrefix(entry, "SVC_") || strings.HasPrefix(entry, "GF_") {
			own = append(own, entry)
		}
	}
	slices.Sort(own)
	return own
}

// runDirectory matches the name of the directory with the private directories of processes.
var runDirectory = regexp.MustCompile(`slipway-\d+-\w+`)

// compare compares a value with a golden file. It must contain none of the credentials.
func (h tellerHost) compare(name string, got any, credentials []string) {
	h.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	testkit.OK(h.T, e.Encode(got))
	for _, secret := range credentials {
		if strings.Contains(b.String(), secret) {
			h.Errorf("%s: the plugin was told a credential of the host", name)
		}
	}
	text := strings.NewReplacer(h.URL(), "http://host", "("+runtime.GOOS+"; "+runtime.GOARCH+")", "(os; arch)").Replace(b.String())
	text = runDirectory.ReplaceAllString(text, "slipway-run")
	text = regexp.MustCompile(`svcsa_\w+`).ReplaceAllString(text, "(token)")
	testkit.Golden(h.T, *update, filepath.Join("testdata", "told", name+".json"), text)
}

// TestResourceAnswer checks which headers of a plugin's response reach the client.
func TestResourceAnswer(t *testing.T) {
	t.Parallel()
	h := openTeller(t, Options{})
	got, text := h.send("GET", "/api/datasources/uid/told/resources/answer", h.basic(), "")
	if got.Header.Get("X-Own") != "of the plugin" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("response %v %s", got.Header, text)
	}
	for name, values := range got.Header {
		if name != "X-Own" && slices.Contains(values, "of the plugin") {
			t.Errorf("the plugin has set the header %s", name)
		}
	}
	if got, text := h.send("GET", "/api/datasources/uid/told/resources/large", h.basic(), ""); got.StatusCode != http.StatusBadGateway || !strings.Contains(text, "larger than 64 KiB") {
		t.Errorf("large headers: %d %s", got.StatusCode, text)
	}
}
