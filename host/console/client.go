package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// maxResponse is the maximum size of a response of the API that a page can show.
const maxResponse = 64 << 20

// client calls the API with the credentials of a request for a page.
type client struct {
	Options
	permissions
	api    http.Handler
	r      *http.Request // for the page
	who    hostapi.User
	frames string // origin of the frames on the page
}

func (c *client) identify() error {
	if err := c.get("/api/user", &c.who); err != nil {
		return err
	}
	return c.get("/api/access-control/user/permissions", &c.permissions)
}

// apiError is a response of the API that is not a success.
type apiError struct {
	Status  int    `json:"-"`
	Message string `json:"message"`
}

// Error returns the message of the API.
func (e *apiError) Error() string { return e.Message }

// get decodes the response of a GET into a pointer. Its errors are those of send.
func (c *client) get(path string, into any) error {
	data, err := c.send(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read the response of %s: %w", path, err)
	}
	return nil
}

// send sends a request, with a JSON body unless body is nil, and returns the response. If its status is an error,
// send returns an *apiError.
func (c *client) send(method, path string, body any) ([]byte, error) {
	target, err := url.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("call the API: %w", err)
	}
	r := c.r.Clone(c.r.Context())
	r.Method, r.URL, r.RequestURI, r.Pattern = method, target, path, ""
	r.Header = http.Header{}
	// Only the cookie, which browsers do not send for other sites: the page was requested with GET.
	r.Header["Cookie"], r.Header["User-Agent"] = c.r.Header["Cookie"], c.r.Header["User-Agent"]
	r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, 0, nil
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("call the API: %w", err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	}
	w := &recorder{header: http.Header{}}
	c.api.ServeHTTP(w, r)
	switch {
	case w.isTooLarge:
		return nil, &apiError{http.StatusBadGateway, fmt.Sprintf("the response of %s is larger than %d MiB", target.Path, maxResponse>>20)}
	case w.status >= http.StatusBadRequest:
		problem := &apiError{Status: w.status}
		if json.Unmarshal(w.body.Bytes(), problem) != nil || problem.Message == "" {
			problem.Message = http.StatusText(w.status)
		}
		return nil, problem
	}
	return w.body.Bytes(), nil
}

// recorder keeps a response in memory.
type recorder struct {
	header     http.Header
	status     int
	body       bytes.Buffer
	isTooLarge bool
}

// Header returns the header of the response.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader records the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Flush does nothing: a page is rendered from whole responses.
func (w *recorder) Flush() {}

// Write records a part of the body.
func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.isTooLarge = w.isTooLarge || w.body.Len()+len(p) > maxResponse; w.isTooLarge {
		return 0, http.ErrBodyNotAllowed
	}
	return w.body.Write(p)
}

// permissions are what the caller may do: scopes by action.
type permissions map[string][]string

// May reports whether the caller may perform an action on a scope, such as "datasources:uid:*".
func (p permissions) May(action, scope string) bool {
	return slices.ContainsFunc(p[action], func(held string) bool { return access.Covers(held, scope) })
}

// MaySome reports whether the caller may perform an action on anything.
func (p permissions) MaySome(action string) bool { return len(p[action]) > 0 }
