package console

import (
	"net/url"
	"strings"
)

// streaming is the page that follows a channel.
type streaming struct {
	Sources []sourceGroup
	Source  string // the key of the selected one
	Path    string // of the channel within the plugin
	Channel string // "" until one is chosen
	IsIdle  bool   // another site linked here, so the stream waits for the button
	Curl    string
}

// streams loads the page that follows a channel, which is in the URL, so that a link to the
// page shows it again.
func streams(c *client) (any, error) {
	q := c.r.URL.Query()
	s := streaming{Source: q.Get("source"), Path: strings.Trim(q.Get("path"), "/"), IsIdle: !isFromHere(c.r)}
	var err error
	if s.Sources, err = sources(c, modeResource, s.Source); err != nil {
		return nil, err
	}
	kind, id, _ := strings.Cut(s.Source, ":")
	scope, ok := map[string]string{"uid": "ds", "type": "plugin"}[kind]
	if ok && id != "" && s.Path != "" {
		s.Channel = scope + "/" + id + "/" + s.Path
		s.Curl = "curl --no-buffer -H 'Authorization: Bearer '\"$TOKEN\" \\\n  " + quotedURL(c.r, "/api/live/events", url.Values{"channel": {s.Channel}}.Encode())
	}
	return s, nil
}
