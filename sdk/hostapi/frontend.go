package hostapi

import "encoding/json"

// PluginSettings are a plugin and, if it is an app, its settings in a response, with the
// names of its secrets only.
type PluginSettings struct {
	PluginAbout
	Module           string          `json:"module"`
	BaseURL          string          `json:"baseUrl"`
	AutoEnabled      bool            `json:"autoEnabled"`
	JSONData         json.RawMessage `json:"jsonData"`
	SecureJSONFields map[string]bool `json:"secureJsonFields"`
	Includes         []Include       `json:"includes"`
	Preload          bool            `json:"preload"`

	EnterpriseFeatures EnterpriseFeatures `json:"enterpriseFeatures"`
}

// EnterpriseFeatures are the features of the service that a plugin enables.
type EnterpriseFeatures struct {
	HealthDiagnosticsErrors bool `json:"healthDiagnosticsErrors"`
}

// Include is a page, dashboard or panel of a plugin that is visible to the caller.
type Include struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Slug       string `json:"slug"` // the name in a URL
	Path       string `json:"path"`
	UID        string `json:"uid"`
	Role       string `json:"role"`
	Action     string `json:"action,omitempty"`
	AddToNav   bool   `json:"addToNav"`
	DefaultNav bool   `json:"defaultNav"`
	Icon       string `json:"icon"`
	Component  string `json:"component"`
}

// PluginInfo is "info" of plugin.json, with the paths under which the host serves
// its images.
type PluginInfo struct {
	Author      Person       `json:"author"`
	Description string       `json:"description"`
	Links       []Link       `json:"links"`
	Logos       Logos        `json:"logos"`
	Screenshots []Screenshot `json:"screenshots"`
	Updated     string       `json:"updated"`
	Version     string       `json:"version"`
	Keywords    []string     `json:"keywords"`
}

// Person is the author of a plugin.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Link is a link of a plugin.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Logos are the paths of the logos of a plugin.
type Logos struct {
	Small string `json:"small"`
	Large string `json:"large"`
}

// Screenshot is a picture of a plugin.
type Screenshot struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Dependencies is "dependencies" of plugin.json, under the names of both profiles.
type Dependencies struct {
	ServiceDependency string             `json:"serviceDependency"`
	GrafanaDependency string             `json:"grafanaDependency"`
	GrafanaVersion    string             `json:"grafanaVersion"`
	Plugins           []PluginDependency `json:"plugins"`
}

// PluginDependency is a plugin that another one needs.
type PluginDependency struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Version string `json:"version"`
}

// FrontendSettings are what a frontend reads once when it starts.
type FrontendSettings struct {
	AppURL            string                        `json:"appUrl"`
	AppSubURL         string                        `json:"appSubUrl"`
	BuildInfo         BuildInfo                     `json:"buildInfo"`
	DefaultDatasource string                        `json:"defaultDatasource"` // a name, or ""
	Datasources       map[string]FrontendDataSource `json:"datasources"`       // by name
	Panels            map[string]FrontendPlugin     `json:"panels"`            // by id
	Apps              map[string]FrontendPlugin     `json:"apps"`              // by id
	FeatureToggles    map[string]bool               `json:"featureToggles"`
	AnonymousEnabled  bool                          `json:"anonymousEnabled"`
	UnifiedAlerting   bool                          `json:"unifiedAlertingEnabled"`
}

// BuildInfo describes the host.
type BuildInfo struct {
	Version   string `json:"version"`
	Edition   string `json:"edition"`
	Env       string `json:"env"`
	HasUpdate bool   `json:"hasUpdate"`
}

// FrontendDataSource is a data source as a frontend needs it. Its jsonData is visible to
// everyone who may query it.
type FrontendDataSource struct {
	ID        int64           `json:"id"`
	UID       string          `json:"uid"`
	Name      string          `json:"name"`
	Type      string          `json:"type"`
	URL       string          `json:"url"` // of the proxy
	Access    string          `json:"access"`
	IsDefault bool            `json:"isDefault"`
	ReadOnly  bool            `json:"readOnly"`
	JSONData  json.RawMessage `json:"jsonData"`
	Meta      FrontendPlugin  `json:"meta"`
}

// FrontendPlugin is a plugin as a frontend needs it.
type FrontendPlugin struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Type    string     `json:"type"`
	Info    PluginInfo `json:"info"`
	Module  string     `json:"module"`
	BaseURL string     `json:"baseUrl"`
	Version string     `json:"version"`
	Preload bool       `json:"preload"`
	State   string     `json:"state"`
}
