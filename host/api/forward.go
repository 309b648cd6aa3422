package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// settings are the settings that a plugin is called with, of an app or a data source.
type settings struct {
	app        *host.AppSettings
	dataSource *host.DataSource
}

func contextOf(p *loader.Plugin, who host.Identity, s settings) sdk.Context {
	c := p.Context()
	c.OrgID, c.Namespace = who.OrgID, namespace(who.OrgID)
	c.User = &sdk.User{Login: who.Login, Name: who.Login, Email: who.Email()}
	if who.Role != host.RoleNone {
		c.User.Role = who.Role.String()
	}
	if app := s.app; app != nil {
		c.App = &sdk.App{Settings: sdk.Settings{JSON: app.JSON, Secrets: app.Secrets, Updated: app.Updated}}
	}
	if d := s.dataSource; d != nil {
		c.DataSource = &sdk.DataSource{
			Settings: sdk.Settings{JSON: d.JSON, Secrets: d.Secrets, Updated: d.Updated},
			ID:       d.ID, UID: d.UID, Name: d.Name, URL: d.URL, User: d.User, Database: d.Database,
			BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser,
		}
	}
	return c
}

// namespace returns the name of an organization in the protocol.
func namespace(orgID int64) string {
	if orgID == store.MainOrg {
		return "default"
	}
	return "org-" + strconv.FormatInt(orgID, 10)
}

// Names of headers, in canonical form.
const (
	// The host sets these itself in calls to plugins: it never passes on what a client sent.
	userHeader = "X-Grafana-User"
	orgHeader  = "X-Grafana-Org-Id"

	idTokenHeader = "X-Id-Token"
	alertHeader   = "Fromalert" // marks the queries of alert rules
)

// callHeaders returns the headers of a request that describe a call: where the query is from,
// and the alert rule. Plugins receive them with queries and health checks.
func callHeaders() []string {
	return []string{
		"X-Query-Group-Id", "X-Dashboard-Uid", "X-Dashboard-Title", "X-Panel-Id", "X-Panel-Title", "X-Panel-Plugin-Id", "X-Datasource-Uid",
		"X-Grafana-From-Expr", alertHeader, "X-Rule-Name", "X-Rule-Uid", "X-Rule-Folder", "X-Rule-Source", "X-Rule-Type", "X-Rule-Version", "X-Rule-Origin",
	}
}

// plainText makes the value of a header valid UTF-8, as gRPC requires.
func plainText(value string) string { return strings.ToValidUTF8(value, "\uFFFD") }

// forwardable are the settings of a data source that select which headers its plugin receives.
type forwardable struct {
	KeepCookies   []string `json:"keepCookies"`
	OAuthPassThru bool     `json:"oauthPassThru"`
}

func forwardableOf(d host.DataSource) (f forwardable) {
	_ = json.Unmarshal(d.JSON, &f) // values of other types select nothing
	return f
}

// cookiesFor returns the cookies of a request that the settings of a data source select.
func cookiesFor(header http.Header, d host.DataSource) string {
	return keptCookies(header, forwardableOf(d).KeepCookies)
}

// personalHeaders returns the headers about the caller of a call: those that the settings
// of the data source and the host select. None of them is a credential of the host.
func personalHeaders(header http.Header, who host.Identity, p *loader.Plugin, d *host.DataSource) http.Header {
	out := http.Header{}
	if p.Settings().SendsUser && who.Kind != host.KindAPIKey { // whose login is only a name
		out.Set(userHeader, plainText(who.Login))
	}
	if d == nil {
		return out
	}
	if cookies := cookiesFor(header, *d); cookies != "" {
		out.Set("Cookie", cookies)
	}
	f := forwardableOf(*d)
	// Authorization has the credential of the host or is absent: authenticate accepts no other.
	if id := header.Get(idTokenHeader); id != "" && f.OAuthPassThru {
		out.Set(idTokenHeader, plainText(id))
	}
	return out
}

// keptCookies returns the cookies whose names are in keep, sorted by name. A name that ends
// with [] stands for all names that start with the rest.
func keptCookies(header http.Header, keep []string) string {
	var kept []string
	for _, c := range (&http.Request{Header: http.Header{"Cookie": header["Cookie"]}}).Cookies() {
		matches := slices.ContainsFunc(keep, func(name string) bool {
			prefix, isPrefix := strings.CutSuffix(name, "[]")
			return name == c.Name || isPrefix && strings.HasPrefix(c.Name, prefix)
		})
		if matches && !isSessionCookie(c.Name) && !host.ContainsToken(c.Value) {
			kept = append(kept, plainText(c.Name+"="+c.Value))
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "; ")
}

// headersFor returns the headers of a query or a health check, as the protocol spells them.
func headersFor(ctx context.Context, who host.Identity, p *loader.Plugin, d *host.DataSource) map[string]string {
	request := headersOf(ctx)
	header := personalHeaders(request, who, p, d)
	for _, name := range callHeaders() {
		if value := request.Get(name); value != "" {
			header.Set(name, plainText(value))
		}
	}
	if request.Get(orgHeader) != "" {
		header.Set(orgHeader, strconv.FormatInt(who.OrgID, 10))
	}
	proxy.WithoutCredentials(header, request)
	out := map[string]string{}
	for name := range header {
		out[protocolName(name)] = header.Get(name)
	}
	return out
}

// protocolName returns the key of a header in a call that is not an HTTP request.
func protocolName(name string) string {
	switch name {
	case "Cookie":
		return name
	case alertHeader:
		return "FromAlert" // plugins look for this spelling; so is the next
	case idTokenHeader:
		return "X-ID-Token"
	}
	return "http_" + name
}

// resourceHeader returns the headers of a request for a resource that a plugin receives, without the
// encodings that the client accepts: plugins would have to decode what services send them.
func resourceHeader(r *http.Request, who host.Identity, p *loader.Plugin, d *host.DataSource) http.Header {
	out := http.Header{}
	proxy.CopyHeaders(out, r.Header)
	out.Del("Accept-Encoding")
	for _, values := range out {
		for i, value := range values {
			values[i] = plainText(value)
		}
	}
	maps.Copy(out, personalHeaders(r.Header, who, p, d))
	if r.Header.Get(orgHeader) != "" {
		out.Set(orgHeader, strconv.FormatInt(who.OrgID, 10))
	}
	proxy.WithoutCredentials(out, r.Header)
	return out
}

func setHeaders(to http.Header, first backend.CallResourceResponse) error {
	size := 0
	for name, values := range first.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > gate.MaxPluginHeader {
		return &sdk.Error{Status: http.StatusBadGateway, Source: sdk.SourcePlugin, Message: fmt.Sprintf("the headers of the plugin's response are larger than %d KiB", gate.MaxPluginHeader>>10)}
	}
	proxy.CopyHeaders(to, first.Header)
	hasBody := first.Status != http.StatusNoContent && first.Status != http.StatusNotModified
	if hasBody && to.Get("Content-Type") == "" { // as in existing hosts; otherwise it would be guessed
		to.Set("Content-Type", "application/json")
	}
	return nil
}
