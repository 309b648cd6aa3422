package sdk

import (
	"encoding/json"
	"time"
)

// Context says on whose behalf a call is made.
type Context struct {
	OrgID         int64
	Namespace     string // of the organisation, in hosts that have namespaces
	PluginID      string
	PluginVersion string
	APIVersion    string            // with which the call came in, or ""
	UserAgent     string            // of the host
	Config        map[string]string // what the host tells of its configuration
	User          *User             // nil when the host itself asks
	App           *App              // settings of an app plugin, else nil
	DataSource    *DataSource       // settings of the data source, else nil
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
	JSON       json.RawMessage   // visible settings; may be empty
	Secrets    map[string]string // decrypted; never log them
	Updated    time.Time         // zero when the host does not say
	APIVersion string            // with which they were stored, or ""
}
