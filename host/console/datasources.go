package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func dataSources(c *client) (any, error) {
	var data struct {
		All       []hostapi.DataSource
		Apps      []hostapi.Plugin
		MayCreate bool
	}
	data.MayCreate = c.May(access.DatasourcesCreate, access.DatasourceScope+"*") || c.May(access.DatasourcesWrite, access.DatasourceScope+"*")
	if err := c.get("/api/plugins", &data.Apps); err != nil {
		return nil, err
	}
	data.Apps = slices.DeleteFunc(data.Apps, func(p hostapi.Plugin) bool {
		return p.Type != "app" || !c.May(access.PluginsAccess, "plugins:id:"+p.ID)
	})
	return &data, c.get("/api/datasources", &data.All)
}

// header is an HTTP header of a data source: its name is in jsonData, its value a secret.
type header struct {
	Number int
	Name   string
	IsSet  bool
}

// blankHeaders is how many more headers a form has than are set.
const blankHeaders = 2

// knownSettings are the keys of settings that the form has fields for, except those of headers.
type knownSettings struct{ visible, secret []string }

func known() knownSettings {
	return knownSettings{
		[]string{"tlsSkipVerify", "tlsAuth", "tlsAuthWithCACert", "serverName"},
		[]string{"basicAuthPassword", "tlsCACert", "tlsClientCert", "tlsClientKey"},
	}
}

const headerName, headerValue = "httpHeaderName", "httpHeaderValue"

type dataSourceForm struct {
	hostapi.DataSource
	Settings            map[string]any // jsonData
	IsNew               bool
	Types               []string // ids of mounted plugins, those that failed last
	Headers             []header
	Rest                string   // JSON of jsonData without the keys that have fields
	MoreSecrets         []string // names of secrets that have no field
	MayWrite, MayDelete bool
	MayQuery            bool
	IsSaved             bool // the page follows the form that saved it
}

func newDataSource(c *client) (any, error) {
	f := dataSourceForm{IsNew: true}
	if !c.May(access.DatasourcesCreate, access.DatasourceScope+"*") && !c.May(access.DatasourcesWrite, access.DatasourceScope+"*") {
		return nil, &apiError{403, "Permission denied"}
	}
	f.MayWrite = true
	f.Type = c.r.URL.Query().Get("type")
	return &f, f.complete(c)
}

func editDataSource(c *client) (any, error) {
	uid := c.r.PathValue("uid")
	var f dataSourceForm
	if err := c.get("/api/datasources/uid/"+url.PathEscape(uid), &f.DataSource); err != nil {
		return nil, err
	}
	var err error
	if f.Settings, err = settingsOf(f.JSONData); err != nil {
		return nil, err
	}
	scope := access.DatasourceScope + uid
	f.MayWrite = !f.ReadOnly && c.May(access.DatasourcesWrite, scope)
	f.MayDelete = !f.ReadOnly && (c.May(access.DatasourcesWrite, scope) || c.May(access.DatasourcesDelete, scope))
	f.MayQuery = c.May(access.DatasourcesQuery, scope)
	f.IsSaved = c.r.URL.Query().Has("saved")
	return &f, f.complete(c)
}

// complete adds the other values that the form shows.
func (f *dataSourceForm) complete(c *client) error {
	var plugins []hostapi.Plugin
	if err := c.get("/api/plugins", &plugins); err != nil {
		return err
	}
	var failed []string
	for _, p := range plugins {
		switch {
		case p.Type != "datasource":
		case p.IsFailed():
			failed = append(failed, p.ID)
		default:
			f.Types = append(f.Types, p.ID)
		}
	}
	slices.Sort(f.Types)
	slices.Sort(failed)
	f.Types = append(f.Types, failed...)
	if f.Type != "" && !slices.Contains(f.Types, f.Type) { // not mounted
		f.Types = append(f.Types, f.Type)
	}
	if f.Type == "" && len(f.Types) > 0 {
		f.Type = f.Types[0]
	}
	rest := maps.Clone(f.Settings)
	for _, key := range known().visible {
		delete(rest, key)
	}
	isKnown := map[string]bool{}
	for _, key := range known().secret {
		isKnown[key] = true
	}
	next := 1
	for _, n := range f.headerNumbers() {
		number := strconv.Itoa(n)
		name, _ := f.Settings[headerName+number].(string)
		f.Headers = append(f.Headers, header{n, name, f.SecureJSONFields[headerValue+number]})
		delete(rest, headerName+number)
		isKnown[headerValue+number] = true
		next = n + 1
	}
	for n := range blankHeaders {
		f.Headers = append(f.Headers, header{Number: next + n})
	}
	f.MoreSecrets = slices.DeleteFunc(slices.Sorted(maps.Keys(f.SecureJSONFields)), func(name string) bool { return isKnown[name] })
	f.Rest = settingsText(rest)
	return nil
}

// headerNumbers returns the numbers of the headers that have a name or a value, in order.
func (f *dataSourceForm) headerNumbers() (all []int) {
	add := func(key, prefix string) {
		text, isHeader := strings.CutPrefix(key, prefix)
		n, err := strconv.ParseUint(text, 10, 31)
		if isHeader && err == nil && strconv.FormatUint(n, 10) == text { // 01 is the key of another header
			all = append(all, int(n))
		}
	}
	for key, name := range f.Settings {
		if _, isText := name.(string); isText {
			add(key, headerName)
		}
	}
	for key, isSet := range f.SecureJSONFields {
		if isSet {
			add(key, headerValue)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Setting returns a value of jsonData as text.
func (f *dataSourceForm) Setting(key string) string {
	if v, ok := f.Settings[key]; ok && v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// Flag reports whether a value of jsonData is true.
func (f *dataSourceForm) Flag(key string) bool { return f.Settings[key] == true }

// IsSet reports whether a secret is stored.
func (f *dataSourceForm) IsSet(name string) bool { return f.SecureJSONFields[name] }

// indentJSON returns a value as JSON for people.
func indentJSON(value any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // html/template escapes it
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(out.String())
}

func app(c *client) (any, error) {
	id := c.r.PathValue("id")
	var data struct {
		hostapi.PluginSettings
		Rest        string
		MoreSecrets []string
		MayWrite    bool
	}
	if err := c.get("/api/plugins/"+url.PathEscape(id)+"/settings", &data.PluginSettings); err != nil {
		return nil, err
	}
	if data.Type != "app" {
		return nil, &apiError{404, "Only apps have settings here; settings of a data source are on its own page"}
	}
	data.MayWrite = c.May(access.PluginsWrite, "plugins:id:"+id)
	visible, err := settingsOf(data.JSONData)
	data.Rest, data.MoreSecrets = settingsText(visible), slices.Sorted(maps.Keys(data.SecureJSONFields))
	return data, err
}

// settingsText returns settings as JSON for people, or "".
func settingsText(settings map[string]any) string {
	if len(settings) == 0 {
		return ""
	}
	return indentJSON(settings)
}

func settingsOf(jsonData json.RawMessage) (visible map[string]any, err error) {
	if err := json.Unmarshal(jsonData, &visible); len(jsonData) > 0 && err != nil {
		return nil, fmt.Errorf("read jsonData: %w", err)
	}
	return visible, nil
}

// formField is a field of a form: a flag or a secret.
type formField struct {
	Name, Label   string
	IsSet, IsLong bool
}
