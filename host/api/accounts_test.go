package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	got := f.do("POST", "/api/auth/keys", f.editor, `{"name":"k","role":"Editor","timeToLive":"1h"}`)
	if got.status != 200 || got.header.Get("Deprecation") == "" || !strings.Contains(got.header.Get("Link"), "/api/serviceaccounts") {
		t.Fatalf("create: %+v", got)
	}
	var key struct {
		ID        int64
		Name, Key string
	}
	if err := json.Unmarshal([]byte(got.body), &key); err != nil || key.Name != "k" || !strings.HasPrefix(key.Key, "svckey_") {
		t.Fatalf("create: %s, %v", got.body, err)
	}
	if got := f.do("POST", "/api/playlists", "Bearer "+key.Key, `{"name":"p","interval":"5m"}`); got.status != 200 {
		t.Errorf("the key does not work: %+v", got)
	}
	for body, status := range map[string]int{
		`{"name":"k","role":"Viewer"}`:                                               409,
		`{"name":"above","role":"Admin"}`:                                            403,
		`{"name":"x","role":"None"}`:                                                 400,
		`{"name":"x"}`:                                                               400,
		`{"role":"Viewer"}`:                                                          400,
		`{"name":"x","role":"Viewer","timeToLive":"31d"}`:                            400,
		`{"name":"x","role":"Viewer","timeToLive":""}`:                               400,
		`{"name":"x","role":"Viewer","secondsToLive":2592001}`:                       400,
		`{"name":"x","role":"Viewer","secondsToLive":-1}`:                            400,
		`{"name":"x","role":"Viewer","secondsToLive":60,"timeToLive":"1d"}`:          400,
		`{"name":"x","role":"Viewer","secondsToLive":60,"seconds_to_live":61}`:       400,
		`{"name":"longest","role":"Viewer","secondsToLive":2592000}`:                 200,
		`{"name":"default","role":"Viewer","secondsToLive":0,"timeToLive":null}`:     200,
		`{"name":"both","role":"Viewer","secondsToLive":60,"seconds_to_live":60}`:    200,
		`{"name":"month","role":"Viewer","timeToLive":"1M","secondsToLive":0,"a":1}`: 200,
	} {
		if got := f.do("POST", "/api/auth/keys", f.editor, body); got.status != status {
			t.Errorf("%s: %+v, want %d", body, got, status)
		}
	}
	listed := want[[]object](t, f, 200, "GET", "/api/auth/keys", f.admin, "")
	if len(listed) != 5 || listed[1]["name"] != "default" || listed[1]["expiration"] != f.clock().Add(host.MaxKeyLifetime).UTC().Format(time.RFC3339) {
		t.Errorf("keys %v", listed)
	}
	f.advance(time.Hour)
	if got := f.do("GET", "/api/playlists", "Bearer "+key.Key, ""); got.status != 401 || !strings.HasPrefix(got.message(), "invalid API key") {
		t.Errorf("an expired key: %+v", got)
	}
	if all := want[[]object](t, f, 200, "GET", "/api/auth/keys?includeExpired=true", f.admin, ""); len(all) != 5 {
		t.Errorf("with expired: %v", all)
	}
	if rest := want[[]object](t, f, 200, "GET", "/api/auth/keys", f.admin, ""); len(rest) != 3 {
		t.Errorf("without expired: %v", rest)
	}
	target := fmt.Sprintf("/api/auth/keys/%d", key.ID)
	for _, status := range []int{200, 404} {
		if got := f.do("DELETE", target, f.admin, ""); got.status != status {
			t.Errorf("delete: %+v, want %d", got, status)
		}
	}
}

// Keys go on working as tokens of accounts; once all of them are, there are no new
// ones.
func TestKeyMigration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secrets := map[string]string{}
	ids := map[string]any{}
	create := func(name, role string) {
		t.Helper()
		made := want[object](t, f, 200, "POST", "/api/auth/keys", f.admin, fmt.Sprintf(`{"name":%q,"role":%q,"secondsToLive":3600}`, name, role))
		secrets[name], ids[name] = "Bearer "+made["key"].(string), made["id"]
	}
	works := func() (status []int) {
		for _, name := range []string{"one", "two", "boss", "extsvc-x"} {
			status = append(status, f.do("GET", "/api/playlists", secrets[name], "").status)
		}
		return status
	}
	for _, name := range []string{"one", "two", "extsvc-x"} {
		create(name, "Viewer")
	}
	create("boss", "Admin")
	want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"TWO"}`)
	status := func() bool {
		return want[object](t, f, 200, "GET", "/api/serviceaccounts/migrationstatus", f.editor, "")["migrated"].(bool)
	}
	one := want[object](t, f, 200, "POST", fmt.Sprintf("/api/auth/keys/%v/migrate", ids["one"]), f.editor, "")["serviceaccount"].(object)
	if one["name"] != "one" || one["login"] != "sa-one" || one["role"] != "Viewer" || one["tokens"] != 1.0 {
		t.Errorf("account %v", one)
	}
	want[object](t, f, 403, "POST", fmt.Sprintf("/api/auth/keys/%v/migrate", ids["boss"]), f.editor, "")
	want[object](t, f, 404, "POST", fmt.Sprintf("/api/auth/keys/%v/migrate", ids["one"]), f.editor, "")
	some := want[object](t, f, 200, "POST", "/api/serviceaccounts/migrate", f.editor, "")
	if some["total"] != 3.0 || some["migrated"] != 2.0 || some["failed"] != 1.0 || some["failedApikeyIDs"].([]any)[0] != ids["boss"] {
		t.Errorf("an editor migrated %v", some)
	}
	if status() {
		t.Error("all are migrated, with one left")
	}
	create("late", "Viewer")
	all := want[object](t, f, 200, "POST", "/api/serviceaccounts/migrate", f.admin, "")
	if all["total"] != 2.0 || all["migrated"] != 2.0 || !status() {
		t.Errorf("an admin migrated %v", all)
	}
	if got := f.do("POST", "/api/auth/keys", f.admin, `{"name":"new","role":"Viewer"}`); got.status != 410 || !strings.Contains(got.message(), "service account") {
		t.Errorf("a new key: %+v", got)
	}
	if got := works(); !slices.Equal(got, []int{200, 200, 200, 200}) {
		t.Errorf("the keys answer %v", got)
	}
	found := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=sa-", f.admin, "")["serviceAccounts"].([]any)
	names := ""
	for _, a := range found {
		names += a.(object)["name"].(string) + " "
	}
	if !strings.Contains(names, "boss key-extsvc-x late one two-2 ") {
		t.Errorf("accounts %s", names)
	}
	id := found[slices.IndexFunc(found, func(a any) bool { return a.(object)["name"] == "two-2" })].(object)["id"]
	tokens := want[[]object](t, f, 200, "GET", fmt.Sprintf("/api/serviceaccounts/%v/tokens", id), f.admin, "")
	if len(tokens) != 1 || tokens[0]["name"] != "two" || tokens[0]["lastUsedAt"] == nil {
		t.Errorf("tokens %v", tokens)
	}
	f.advance(time.Hour)
	if got := works(); !slices.Equal(got, []int{401, 401, 401, 401}) {
		t.Errorf("an hour later the keys answer %v", got)
	}
	for _, line := range []string{`event="API key migrated"`, `event="API keys migrated"`, `event="service account created"`} {
		if !strings.Contains(f.log.String(), line) {
			t.Errorf("no %s in the log", line)
		}
	}
}

func TestServiceAccountLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	created := want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"CI bot","role":"Editor","isDisabled":false}`)
	if len(created) != 8 || created["login"] != "sa-ci-bot" || created["orgId"] != 1.0 || created["role"] != "Editor" ||
		created["tokens"] != 0.0 || created["isDisabled"] != false || created["name"] != "CI bot" {
		t.Errorf("created %v", created)
	}
	target := fmt.Sprintf("/api/serviceaccounts/%v", created["id"])
	token := want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"t"}`)
	brief := want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"brief","seconds_to_live":60}`)
	want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"brief too","secondsToLive":60}`)
	if len(token) != 3 || !strings.HasPrefix(token["key"].(string), "svcsa_") || token["name"] != "t" {
		t.Errorf("token %v", token)
	}
	try := func(token object) int {
		return f.do("GET", "/api/playlists", "Bearer "+token["key"].(string), "").status
	}
	if try(token) != 200 || try(brief) != 200 {
		t.Error("a fresh token does not work")
	}
	f.advance(time.Minute)
	if try(token) != 200 || try(brief) != 401 {
		t.Errorf("a minute later: %d, %d", try(token), try(brief))
	}
	listed := want[[]object](t, f, 200, "GET", target+"/tokens", f.admin, "")
	if len(listed) != 3 || listed[0]["hasExpired"] != false || listed[0]["expiration"] != nil || listed[1]["hasExpired"] != true {
		t.Errorf("tokens %v", listed)
	}
	if got := want[object](t, f, 200, "GET", target, f.admin, ""); got["tokens"] != 3.0 {
		t.Errorf("read %v", got)
	}
	for _, step := range []struct {
		body   string
		status int
	}{{`{"isDisabled":true}`, 401}, {`{"isDisabled":false,"role":"Viewer","name":"CI"}`, 200}} {
		body, status := step.body, step.status
		changed := want[object](t, f, 200, "PATCH", target, f.admin, body)
		if changed["message"] != "Service account updated" || changed["serviceaccount"].(object)["login"] != "sa-ci-bot" {
			t.Errorf("changed %v", changed)
		}
		if got := try(token); got != status {
			t.Errorf("after %s the token gives %d", body, got)
		}
	}
	search := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=CI&perpage=1&page=1", f.admin, "")
	if search["totalCount"] != 1.0 || search["page"] != 1.0 || search["perPage"] != 1.0 || len(search["serviceAccounts"].([]any)) != 1 {
		t.Errorf("search %v", search)
	}
	plugin := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=extsvc", f.admin, "")["serviceAccounts"].([]any)[0].(object)
	pluginTarget := fmt.Sprintf("/api/serviceaccounts/%v", plugin["id"])
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"POST", "/api/serviceaccounts", `{"name":"ci BOT"}`, 201}, // it was renamed
		{"POST", "/api/serviceaccounts", `{"name":"CI"}`, 409},
		{"POST", "/api/serviceaccounts", `{"name":"x","role":"None"}`, 400},
		{"POST", "/api/serviceaccounts", `{"name":"extsvc-x"}`, 400},
		{"POST", target + "/tokens", `{"name":"t"}`, 409},
		{"POST", target + "/tokens", `{"name":"neg","secondsToLive":-1}`, 400},
		{"POST", "/api/serviceaccounts/999/tokens", `{"name":"t"}`, 404},
		{"POST", "/api/serviceaccounts/abc/tokens", `{"name":"t"}`, 400},
		{"POST", "/api/serviceaccounts/99999999999999999999/tokens", `{"name":"t"}`, 400},
		{"PATCH", pluginTarget, `{"role":"Admin"}`, 403},
		{"DELETE", pluginTarget, "", 403},
		{"POST", pluginTarget + "/tokens", `{"name":"mine"}`, 403},
		{"DELETE", target + "/tokens/abc", "", 400},
		{"DELETE", target + "/tokens/999", "", 404},
		{"DELETE", fmt.Sprintf("%s/tokens/%v", target, token["id"]), "", 200},
	} {
		if got := f.do(c.method, c.target, f.admin, c.body); got.status != c.status {
			t.Errorf("%s %s %s: %+v, want %d", c.method, c.target, c.body, got, c.status)
		}
	}
	if try(token) != 401 {
		t.Error("a deleted token works")
	}
	for _, status := range []int{200, 404} {
		if got := f.do("DELETE", target, f.admin, ""); got.status != status {
			t.Errorf("delete: %+v, want %d", got, status)
		}
	}
}
