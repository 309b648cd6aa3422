package hostapi

import "encoding/json"

// DataSource is a data source, with the names of its secrets only.
type DataSource struct {
	ID               int64           `json:"id"`
	UID              string          `json:"uid"`
	OrgID            int64           `json:"orgId"`
	Name             string          `json:"name"`
	Type             string          `json:"type"` // the id of its plugin
	Access           string          `json:"access"`
	URL              string          `json:"url"`
	User             string          `json:"user"`
	Database         string          `json:"database"`
	BasicAuth        bool            `json:"basicAuth"`
	BasicAuthUser    string          `json:"basicAuthUser"`
	WithCredentials  bool            `json:"withCredentials"`
	IsDefault        bool            `json:"isDefault"`
	JSONData         json.RawMessage `json:"jsonData"`
	SecureJSONFields map[string]bool `json:"secureJsonFields"`
	Version          int64           `json:"version"`
	ReadOnly         bool            `json:"readOnly"`
	TypeName         string          `json:"typeName"` // of the plugin; "" if it is not mounted
	TypeLogoURL      string          `json:"typeLogoUrl"`
}

// QueryResults are the results of POST /api/ds/query.
type QueryResults struct {
	Results map[string]QueryResult `json:"results"` // by refId
}

// QueryResult is the result of one query.
type QueryResult struct {
	Status      int               `json:"status"` // HTTP status
	Frames      []json.RawMessage `json:"frames"` // as sdk/frame writes them
	Error       string            `json:"error,omitempty"`
	ErrorSource string            `json:"errorSource,omitempty"` // plugin or downstream
}

// Health is the result of a health check.
type Health struct {
	Status  string          `json:"status"` // OK, ERROR or UNKNOWN
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"`
}
