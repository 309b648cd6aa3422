package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Context says on whose behalf a call is made.
type Context struct {
	OrgID         int64
	PluginID      string
	PluginVersion string
	User          *User       // nil when the host itself asks
	App           *App        // settings of an app plugin, else nil
	DataSource    *DataSource // settings of the data source, else nil
}

// User is the person or account whose request led to the call.
type User struct {
	Login, Name, Email string
	Role               string // Admin, Editor, Viewer or ""
}

// App are the settings of an app plugin in an organisation.
type App struct {
	Settings
}

// DataSource is one configured instance of a data source plugin.
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

// Settings are what an administrator entered.
type Settings struct {
	JSON    json.RawMessage   // visible settings; may be empty
	Secrets map[string]string // decrypted; never log them
	Updated time.Time
}

// Decode reads the visible settings into a struct. The error names the field
// whose type is wrong.
func (s Settings) Decode(into any) error {
	if len(s.JSON) == 0 {
		return nil
	}
	if err := json.Unmarshal(s.JSON, into); err != nil {
		return fmt.Errorf("decode settings: %w", err)
	}
	return nil
}

type contextKey struct{}

// ContextOf returns the plugin context of the call; the zero Context outside of
// one.
func ContextOf(ctx context.Context) Context {
	c, _ := ctx.Value(contextKey{}).(Context)
	return c
}

func withContext(ctx context.Context, c Context) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}
