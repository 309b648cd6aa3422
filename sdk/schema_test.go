package sdk_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

type list struct {
	Next  *list  `json:"next"`
	Token string `secret:"listToken"`
}

type described struct {
	region
	Limit  uint8             `json:"limit" description:"Rows per query"`
	Ratio  *float64          `json:"ratio" required:"true"`
	IsFast bool              `json:"fast"`
	Tags   []string          `json:"tags"`
	Labels map[string]string `json:"labels"`
	Since  time.Time         `json:"since"`
	Count  int               `json:"count,string"`
	Nested struct{ On bool } `json:"nested"`
	Key    string            `secret:"apiKey" required:"true" description:"From the account page"`
	Hidden string            `json:"-"`
}

// A plugin with instances publishes the schema of its settings, also before a data source
// exists and if its settings are invalid.
func TestSettingsSchema(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.DataSources(func(context.Context, sdk.DataSource, described) (*struct{}, error) {
		t.Error("an instance was created")
		return nil, nil
	}).Plugin())
	response := testkit.Must(k.HTTP().Get("http://plugin" + sdk.SettingsSchemaPath))(t)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/schema+json" {
		t.Errorf("%s, %v, %v", response.Status, response.Header, err)
	}
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"jsonData":{"type":"object","properties":{"count":{"type":"string"},"fast":{"type":"boolean"},"labels":{"type":"object"},` +
		`"limit":{"type":"integer","description":"Rows per query","minimum":0},"nested":{"type":"object","properties":{"On":{"type":"boolean"}}},` +
		`"ratio":{"type":"number"},"region":{"type":"string"},"since":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},` +
		`"required":["region","ratio"]},` +
		`"secureJsonData":{"type":"object","properties":{"apiKey":{"type":"string","description":"From the account page","writeOnly":true}},"required":["apiKey"]}}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if _, err := k.HTTP().Get("http://plugin/other"); err == nil {
		t.Error("a plugin without resources answered another path")
	}
}

// tree has several members of its own type.
type tree struct {
	Left, Right *tree
	Children    []tree
	Deep        deep
}

type deep []deep

// outer has fields with the names of embedded ones, before and after them.
type outer struct {
	Name int `json:"name" required:"true"`
	inner
	Size int     `json:"size"`
	Hash [4]byte `json:"hash"`
}

type inner struct {
	Name string `json:"name"`
	Size string `json:"size" required:"true"`
}

// A field replaces an embedded one with the same name, as in encoding/json. An array of
// bytes is one of numbers.
func TestEmbeddedSettings(t *testing.T) {
	t.Parallel()
	create := func(context.Context, sdk.DataSource, outer) (*struct{}, error) { return nil, nil }
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"jsonData":{"type":"object","properties":{` +
		`"hash":{"type":"array","items":{"type":"integer","minimum":0}},"name":{"type":"integer"},"size":{"type":"integer"}},"required":["name"]},` +
		`"secureJsonData":{"type":"object"}}}`
	if diff := cmp.Diff(want, string(sdk.DataSources(create).Plugin().SettingsSchema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

type letters struct {
	A, B, C, D, E, F, G, H int `required:"true"`
}

// The schema of a type is always the same.
func TestSettingsSchemaOrder(t *testing.T) {
	t.Parallel()
	create := func(context.Context, sdk.DataSource, struct{ letters }) (*struct{}, error) { return nil, nil }
	want := `"required":["A","B","C","D","E","F","G","H"]`
	if text := string(sdk.DataSources(create).Plugin().SettingsSchema); !strings.Contains(text, want) {
		t.Errorf("schema is %s, want %s in it", text, want)
	}
}

// The schema of a recursive type ends.
func TestRecursiveSettings(t *testing.T) {
	t.Parallel()
	create := func(context.Context, sdk.DataSource, list) (*struct{}, error) { return nil, nil }
	if n := len(sdk.DataSources(create).Plugin().SettingsSchema); n == 0 || n > 1000 {
		t.Errorf("the schema has %d bytes", n)
	}
	several := func(context.Context, sdk.DataSource, tree) (*struct{}, error) { return nil, nil }
	if n := len(sdk.DataSources(several).Plugin().SettingsSchema); n == 0 || n > 1000 {
		t.Errorf("the schema of a tree has %d bytes", n)
	}
	anything := func(context.Context, sdk.DataSource, map[string]any) (*struct{}, error) { return nil, nil }
	if schema := sdk.DataSources(anything).Plugin().SettingsSchema; schema != nil {
		t.Errorf("settings without fields have the schema %s", schema)
	}
}
