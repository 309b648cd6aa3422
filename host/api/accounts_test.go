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
	f.check(t, "request with the new key", 200, "POST", "/api/playlists", "Bearer "+key.Key, `{"name":"p","interval":"5m"}`)
	for body, status := range map[string]int{
		`{"name":"k","role":"Viewer"}`:                                               409,
		`{"name":"above","role":"Admin"}`:                                            403,
		`{"name":"x","role":"Viewer","timeToLive":""}`:                               400,
		`{"name":"x","role":"Viewer","secondsToLive":-1}`:                            400,
		`{"name":"x","role":"Viewer","secondsToLive":60,"timeToLive":"1d"}`:          400,
		`{"name":"x","role":"Viewer","secondsToLive":60,"seconds_to_live":61}`:       400,
		`{"name":"longest","role":"Viewer","secondsToLive":2592000}`:                 200,
		`{"name":"default","role":"Viewer","secondsToLive":0,"timeToLive":null}`:     200,
		`{"name":"both","role":"Viewer","secondsToLive":60,"seconds_to_live":60}`:    200,
		`{"name":"month","role":"Viewer","timeToLive":"1M","secondsToLive":0,"a":1}`: 200,
	} {
		f.check(t, "", status, "POST", "/api/auth/keys", f.editor, body)
	}
	listed := want[[]object](t, f, 200, "GET", "/api/auth/keys", f.admin, "")
	if len(listed) != 5 {
		t.Fatalf("%d keys, want 5: %v", len(listed), listed)
	}
	wantFields(t, "key", listed[1], object{"name": "default", "expiration": f.clock().Add(host.MaxKeyLifetime).UTC().Format(time.RFC3339)})
	f.advance(time.Hour)
	if got := f.do("GET", "/api/playlists", "Bearer "+key.Key, ""); got.status != 401 || !strings.HasPrefix(got.message(), "invalid API key") {
		t.Errorf("request with an expired key: %+v", got)
	}
	if all := want[[]object](t, f, 200, "GET", "/api/auth/keys?includeExpired=true", f.admin, ""); len(all) != 5 {
		t.Errorf("%d keys including expired ones, want 5: %v", len(all), all)
	}
	if rest := want[[]object](t, f, 200, "GET", "/api/auth/keys", f.admin, ""); len(rest) != 3 {
		t.Errorf("%d keys without expired ones, want 3: %v", len(rest), rest)
	}
	target := fmt.Sprintf("/api/auth/keys/%d", key.ID)
	for _, status := range []int{200, 404} {
		f.check(t, "delete", status, "DELETE", target, f.admin, "")
	}
}

// Migrated keys remain valid. Once all keys are migrated, no new ones can be created.
func TestKeyMigration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secrets := map[string]string{}
	ids := map[string]any{}
	create := func(name, role string) {
		t.Helper()
		created := want[object](t, f, 200, "POST", "/api/auth/keys", f.admin, fmt.Sprintf(`{"name":%q,"role":%q,"secondsToLive":3600}`, name, role))
		secrets[name], ids[name] = "Bearer "+created["key"].(string), created["id"]
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
	migrated := want[object](t, f, 200, "POST", fmt.Sprintf("/api/serviceaccounts/migrate/%v", ids["one"]), f.editor, "")
	if got := migrated["message"]; got != "Service accounts migrated" { // clients compare it
		t.Errorf("the message is %q", got)
	}
	one := migrated["serviceaccount"].(object)
	wantFields(t, "account of a migrated key", one, object{"name": "one", "login": "sa-one", "role": "Viewer", "tokens": 1.0})
	want[object](t, f, 403, "POST", fmt.Sprintf("/api/serviceaccounts/migrate/%v", ids["boss"]), f.editor, "")
	want[object](t, f, 404, "POST", fmt.Sprintf("/api/serviceaccounts/migrate/%v", ids["one"]), f.editor, "")
	some := want[object](t, f, 200, "POST", "/api/serviceaccounts/migrate", f.editor, "")
	wantFields(t, "migration by an editor", some, object{"total": 3.0, "migrated": 2.0, "failed": 1.0, "failedApikeyIDs": []any{ids["boss"]}})
	create("late", "Viewer")
	all := want[object](t, f, 200, "POST", "/api/serviceaccounts/migrate", f.admin, "")
	wantFields(t, "migration by an admin", all, object{"total": 2.0, "migrated": 2.0})
	if got := f.do("POST", "/api/auth/keys", f.admin, `{"name":"new","role":"Viewer"}`); got.status != 410 || !strings.Contains(got.message(), "service account") {
		t.Errorf("creation of a key after the migration: %+v", got)
	}
	if got := works(); !slices.Equal(got, []int{200, 200, 200, 200}) {
		t.Errorf("status codes with the migrated keys: %v", got)
	}
	found := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=sa-", f.admin, "")["serviceAccounts"].([]any)
	names := ""
	for _, a := range found {
		names += a.(object)["name"].(string) + " "
	}
	if !strings.Contains(names, "boss key-extsvc-x late one two-2 ") {
		t.Errorf("accounts: %s", names)
	}
	id := found[slices.IndexFunc(found, func(a any) bool { return a.(object)["name"] == "two-2" })].(object)["id"]
	tokens := want[[]object](t, f, 200, "GET", fmt.Sprintf("/api/serviceaccounts/%v/tokens", id), f.admin, "")
	if len(tokens) != 1 || tokens[0]["lastUsedAt"] == nil {
		t.Fatalf("tokens of a migrated key: %v", tokens)
	}
	wantFields(t, "token of a migrated key", tokens[0], object{"name": "two"})
	f.advance(time.Hour)
	if got := works(); !slices.Equal(got, []int{401, 401, 401, 401}) {
		t.Errorf("status codes with the expired keys: %v", got)
	}
	for _, line := range []string{`event="API key migrated"`, `event="API keys migrated"`, `event="service account created"`} {
		if !strings.Contains(f.log.String(), line) {
			t.Errorf("the log does not contain %s", line)
		}
	}
}

func TestServiceAccountLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	created := want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"CI bot","role":"Editor","isDisabled":false}`)
	if len(created) != 8 {
		t.Errorf("%d fields, want 8: %v", len(created), created)
	}
	wantFields(t, "new account", created, object{"login": "sa-ci-bot", "orgId": 1.0, "role": "Editor", "tokens": 0.0, "isDisabled": false, "name": "CI bot"})
	target := fmt.Sprintf("/api/serviceaccounts/%v", created["id"])
	token := want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"t"}`)
	brief := want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"brief","seconds_to_live":60}`)
	want[object](t, f, 200, "POST", target+"/tokens", f.admin, `{"name":"brief too","secondsToLive":60}`)
	if len(token) != 3 || !strings.HasPrefix(token["key"].(string), "svcsa_") {
		t.Errorf("new token: %v", token)
	}
	wantFields(t, "new token", token, object{"name": "t"})
	try := func(token object) int {
		return f.do("GET", "/api/playlists", "Bearer "+token["key"].(string), "").status
	}
	if try(token) != 200 || try(brief) != 200 {
		t.Error("a new token is refused")
	}
	f.advance(time.Minute)
	if try(token) != 200 || try(brief) != 401 {
		t.Errorf("a minute later: %d with the lasting token, %d with the brief one", try(token), try(brief))
	}
	listed := want[[]object](t, f, 200, "GET", target+"/tokens", f.admin, "")
	if len(listed) != 3 {
		t.Fatalf("%d tokens, want 3: %v", len(listed), listed)
	}
	wantFields(t, "lasting token", listed[0], object{"hasExpired": false, "expiration": nil})
	wantFields(t, "brief token", listed[1], object{"hasExpired": true})
	if got := want[object](t, f, 200, "GET", target, f.admin, ""); got["tokens"] != 3.0 {
		t.Errorf("account with three tokens: %v", got)
	}
	for _, step := range []struct {
		body   string
		status int
	}{{`{"isDisabled":true}`, 401}, {`{"isDisabled":false,"role":"Viewer","name":"CI"}`, 200}} {
		body, status := step.body, step.status
		changed := want[object](t, f, 200, "PATCH", target, f.admin, body)
		if changed["message"] != "Service account updated" || changed["serviceaccount"].(object)["login"] != "sa-ci-bot" {
			t.Errorf("response to the update: %v", changed)
		}
		if got := try(token); got != status {
			t.Errorf("status with the token after %s: %d", body, got)
		}
	}
	search := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=CI&perpage=1&page=1", f.admin, "")
	wantFields(t, "search", search, object{"totalCount": 1.0, "page": 1.0, "perPage": 1.0})
	if accounts := search["serviceAccounts"].([]any); len(accounts) != 1 {
		t.Errorf("%d accounts found, want 1: %v", len(accounts), accounts)
	}
	plugin := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=extsvc", f.admin, "")["serviceAccounts"].([]any)[0].(object)
	pluginTarget := fmt.Sprintf("/api/serviceaccounts/%v", plugin["id"])
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"POST", "/api/serviceaccounts", `{"name":"ci BOT"}`, 201}, // the first one was renamed
		{"POST", "/api/serviceaccounts", `{"name":"CI"}`, 409},
		{"POST", "/api/serviceaccounts", `{"name":"x","role":"None"}`, 400},
		{"POST", "/api/serviceaccounts", `{"name":"extsvc-x"}`, 400},
		{"POST", target + "/tokens", `{"name":"t"}`, 409},
		{"POST", target + "/tokens", `{"name":"neg","secondsToLive":-1}`, 400},
		{"POST", "/api/serviceaccounts/999/tokens", `{"name":"t"}`, 404},
		{"POST", "/api/serviceaccounts/abc/tokens", `{"name":"t"}`, 400},
		{"POST", "/api/serviceaccounts/99999999999999999999/tokens", `{"name":"t"}`, 400},
		{"PATCH", pluginTarget, `{"role":"Admin"}`, 403},
		{"POST", pluginTarget + "/tokens", `{"name":"mine"}`, 403},
		{"DELETE", target + "/tokens/abc", "", 400},
		{"DELETE", target + "/tokens/999", "", 404},
		{"DELETE", fmt.Sprintf("%s/tokens/%v", target, token["id"]), "", 200},
	} {
		f.check(t, "", c.status, c.method, c.target, f.admin, c.body)
	}
	if try(token) != 401 {
		t.Error("a deleted token is accepted")
	}
	for _, status := range []int{200, 404} {
		f.check(t, "delete", status, "DELETE", target, f.admin, "")
	}
}
