package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// defaultRegistry is npm's own. Lockfiles name it, or Yarn's alias for it, regardless
// of which registry the packages came from.
const defaultRegistry = "https://registry.npmjs.org/"

// tarball returns the address of a package's tarball. The error states why a package is
// refused.
func (r registries) tarball(p *Package) (*url.URL, error) {
	if r.err != nil {
		return nil, r.err
	}
	registry, err := url.Parse(r.of(p.Name))
	if err != nil || registry.Host == "" || registry.Scheme != "https" && registry.Scheme != "http" {
		return nil, fmt.Errorf("the registry of %s must be an http or https URL, not %q: correct it in %s", p.Name, r.of(p.Name), r.file)
	}
	if refused := r.refusal(registry); refused != nil {
		return nil, refused
	}
	if p.URL == "" {
		base := path.Base(p.Name)
		return registry.JoinPath(p.Name, "-", base+"-"+p.Version+".tgz"), nil
	}
	from, err := url.Parse(p.URL)
	if err != nil || from.Scheme != "https" && from.Scheme != "http" {
		return nil, &RefusedError{
			fmt.Sprintf("packages from %q are not downloaded, as that is not the address of a registry", p.URL), install(r.manager),
		}
	}
	if from.Host == registry.Host {
		from.Scheme = registry.Scheme // a lockfile must not send the token without TLS
		return from, nil
	}
	if slices.Contains([]string{"registry.npmjs.org", "registry.yarnpkg.com"}, from.Host) {
		return registry.JoinPath(from.EscapedPath()), nil
	}
	help := install(r.manager)
	if strings.Contains(from.Path, "/-/") { // as registries have it
		help += fmt.Sprintf("; or, if you trust %s, configure it as the registry in %s", from.Host, r.file)
	}
	text := "packages from %s are not downloaded, as their registry is %s"
	return nil, &RefusedError{fmt.Sprintf(text, from.Host, registry.Host), help}
}

var errNotFound = errors.New("the registry does not have it")

// idleTimeout limits the time without a byte from a registry.
const idleTimeout = time.Minute

// get requests a URL about a package, with the credentials for its registry.
func (r registries) get(ctx context.Context, p *Package, at *url.URL, accept string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	idle := time.AfterFunc(idleTimeout, func() { cancel(transient{fmt.Errorf("%s: no data for %s", at.Redacted(), idleTimeout)}) })
	body := &download{ctx: ctx, idle: idle, cancel: cancel}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, errors.Join(err, body.Close())
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	if authorization := r.authorization(p.Name, at); authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
			err = UnreachableError{at.Host, dial.Err}
		}
		return nil, errors.Join(body.explain(err), body.Close())
	}
	body.ReadCloser = resp.Body
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		return body, nil
	case code == http.StatusNotFound:
		err = fmt.Errorf("%s: %s: %w; choose another version in package.json, and update the lockfile, "+
			"or configure the registry that has it in %s", at.Redacted(), resp.Status, errNotFound, r.file)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		err = fmt.Errorf("%s: %s: correct the credentials for %s in %s", at.Redacted(), resp.Status, at.Host, r.file)
	case code == http.StatusTooManyRequests || code >= 500:
		err = transient{fmt.Errorf("%s: %s", at.Redacted(), resp.Status)}
	default:
		err = fmt.Errorf("%s: %s", at.Redacted(), resp.Status)
	}
	return nil, errors.Join(err, body.Close())
}

// UnreachableError is the error for every package of a registry that does not respond.
type UnreachableError struct {
	Host  string
	Cause error
}

// Error returns the host and the last part of the cause; the others are addresses of name servers.
func (e UnreachableError) Error() string {
	cause := e.Cause.Error()
	return fmt.Sprintf("%s cannot be reached (%s)", e.Host, strings.TrimSpace(cause[strings.LastIndex(cause, ":")+1:]))
}

// Shared returns what the error is for all packages of the registry, and what to do about it.
func (e UnreachableError) Shared() (text, help string) {
	return e.Error(), "connect to the network, or set the registry in .npmrc"
}

// withoutToken removes the credentials from a request that a registry redirects to another server.
// The client itself keeps them for other ports, for subdomains, and without TLS.
func withoutToken(next *http.Request, via []*http.Request) error {
	if len(via) == 10 {
		return errors.New("stopped after 10 redirects")
	}
	if next.URL.Scheme != via[0].URL.Scheme || next.URL.Host != via[0].URL.Host {
		next.Header.Del("Authorization")
	}
	return nil
}

// download is the body of a response. Its request ends if no data arrives.
type download struct {
	io.ReadCloser
	ctx    context.Context // of the request
	idle   *time.Timer
	cancel context.CancelCauseFunc
}

// Read restarts the timeout. An error of the network is transient.
func (d *download) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	d.idle.Reset(idleTimeout)
	if err != nil && err != io.EOF {
		err = d.explain(err)
	}
	return n, err
}

func (d *download) explain(err error) error {
	if cause := context.Cause(d.ctx); cause != nil {
		return cause
	}
	return transient{err}
}

// Close ends the request.
func (d *download) Close() error {
	d.idle.Stop()
	d.cancel(nil)
	if d.ReadCloser == nil {
		return nil
	}
	return d.ReadCloser.Close()
}

// integrity asks the registry for the integrity of a package whose lockfile has none: those of
// Yarn 2 and later have a checksum of Yarn's own archive.
func (r registries) integrity(ctx context.Context, p *Package) (string, error) {
	at, err := url.Parse(r.of(p.Name) + strings.ReplaceAll(p.Name, "/", "%2f") + "/" + url.PathEscape(p.Version))
	if err != nil {
		return "", err
	}
	body, err := r.get(ctx, p, at, "application/json")
	if err != nil {
		return "", err
	}
	defer body.Close()
	var about struct {
		Dist struct{ Integrity, Shasum string }
	}
	if err := json.NewDecoder(io.LimitReader(body, 16<<20)).Decode(&about); err != nil {
		return "", fmt.Errorf("%s: %w", at.Redacted(), err)
	}
	if about.Dist.Integrity == "" {
		return "", fmt.Errorf("%s: the registry has no integrity hash for %s@%s", at.Redacted(), p.Name, p.Version)
	}
	return about.Dist.Integrity, nil
}
