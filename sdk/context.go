package sdk

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/metadata"
)

// Context describes on whose behalf the host makes a call.
type Context struct {
	OrgID         int64
	Namespace     string // of the organization, in hosts that have namespaces
	PluginID      string
	PluginVersion string
	APIVersion    string      // of the call, or ""
	UserAgent     string      // of the host
	Config        Config      // configuration that the host shares with plugins
	User          *User       // nil if the host itself makes the call
	App           *App        // settings of an app plugin, or nil
	DataSource    *DataSource // the data source that is called, or nil
}

// User is the person or service account whose request led to the call.
type User struct {
	Login, Name, Email string
	Role               string // Admin, Editor, Viewer or ""
}

// App holds the settings of an app plugin in an organization.
type App struct {
	Settings
}

// DataSource is a data source as an administrator configured it.
type DataSource struct {
	Settings
	ID            int64
	UID           string
	Name          string
	URL           string
	User          string
	Database      string
	BasicAuth     bool
	BasicAuthUser string
}

// Settings hold what an administrator entered. [DecodeSettings] decodes them.
type Settings struct {
	JSON       json.RawMessage   // a JSON object, or empty
	Secrets    map[string]string // decrypted; do not log them
	Updated    time.Time         // zero if the host does not report it
	APIVersion string            // of the stored settings, or ""
}

// ContextOf returns the Context of a call, which describes on whose behalf it is made.
// Outside of a call, it returns the zero Context.
func ContextOf(ctx context.Context) Context { return callOf(ctx).plugin }

// ForwardedHeader returns the headers of the user's request that the host sent with
// the call, such as Authorization, X-Id-Token and Cookie. For a resource request it
// returns the headers of that request. Without any, it returns nil.
func ForwardedHeader(ctx context.Context) http.Header {
	c := callOf(ctx)
	if len(c.forwarded) == 0 {
		return c.header.Clone()
	}
	const prefix = "http_" // of most names in the protocol
	header := make(http.Header, len(c.forwarded))
	for name, value := range c.forwarded {
		header.Set(strings.TrimPrefix(name, prefix), value)
	}
	return header
}

// TraceHeaders returns the W3C trace headers (traceparent, tracestate and baggage)
// that the host sent with the call, or nil. Package sdk/httpclient forwards them.
func TraceHeaders(ctx context.Context) http.Header { return callOf(ctx).trace.Clone() }

// call is what the SDK keeps in the context of a call.
type call struct {
	plugin    Context
	forwarded map[string]string // headers that the host forwarded
	header    http.Header       // of a resource request, where a name can have several values
	logger    *slog.Logger
	trace     http.Header // or nil
}

type callKey struct{}

// callOf returns the call with ctx, or an empty one.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// withCall starts a call that logs to logger.
func withCall(ctx context.Context, logger *slog.Logger) context.Context {
	c := &call{logger: logger}
	for _, name := range []string{"traceparent", "tracestate", "baggage"} {
		if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
			if c.trace == nil {
				c.trace = http.Header{}
			}
			c.trace.Set(name, values[0])
		}
	}
	return context.WithValue(ctx, callKey{}, c)
}

func withContext(ctx context.Context, p Context, forwarded map[string]string) context.Context {
	c := *callOf(ctx)
	c.plugin, c.forwarded, c.header = p, forwarded, nil
	return context.WithValue(ctx, callKey{}, &c)
}

func loggerOf(ctx context.Context) *slog.Logger {
	if l := callOf(ctx).logger; l != nil {
		return l
	}
	return slog.Default()
}

func contextFromWire(in *pluginv2.PluginContext) Context {
	c := Context{
		OrgID: in.GetOrgId(), Namespace: in.GetNamespace(), PluginID: in.GetPluginId(), PluginVersion: in.GetPluginVersion(),
		APIVersion: in.GetApiVersion(), UserAgent: in.GetUserAgent(), Config: in.GetGrafanaConfig(),
	}
	if u := in.GetUser(); u != nil {
		c.User = &User{Login: u.GetLogin(), Name: u.GetName(), Email: u.GetEmail(), Role: u.GetRole()}
	}
	if a := in.GetAppInstanceSettings(); a != nil {
		c.App = &App{Settings: settingsFromWire(a.GetJsonData(), a.GetDecryptedSecureJsonData(), a.GetLastUpdatedMS(), a.GetApiVersion())}
	}
	if d := in.GetDataSourceInstanceSettings(); d != nil {
		c.DataSource = &DataSource{
			Settings: settingsFromWire(d.GetJsonData(), d.GetDecryptedSecureJsonData(), d.GetLastUpdatedMS(), d.GetApiVersion()),
			ID:       d.GetId(), UID: d.GetUid(), Name: d.GetName(), URL: d.GetUrl(),
			User: d.GetUser(), Database: d.GetDatabase(),
			BasicAuth: d.GetBasicAuthEnabled(), BasicAuthUser: d.GetBasicAuthUser(),
		}
	}
	return c
}

func settingsFromWire(visible []byte, secrets map[string]string, updatedMS int64, apiVersion string) Settings {
	s := Settings{JSON: visible, Secrets: secrets, APIVersion: apiVersion}
	if updatedMS > 0 { // existing hosts send a zero time as one in 1754
		s.Updated = time.UnixMilli(updatedMS)
	}
	return s
}
