package packages

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// registries are the registries that the repository, the user and the environment configure for the package
// manager of the lockfile.
type registries struct {
	manager string
	file    string            // where the repository configures them: .npmrc or .yarnrc.yml
	options map[string]string // by npm's names, such as "@acme:registry" and "//host/:_authToken"
	client  *http.Client
	err     error // why nothing must be downloaded
}

// connect makes the client use the proxies of the configuration, and trust the certificates in files as well as
// those of the system.
func (r *registries) connect(files ...string) error {
	files = slices.DeleteFunc(files, func(file string) bool { return file == "" })
	proxy := func(name string) string { return strings.NewReplacer("null", "", "false", "").Replace(r.options[name]) }
	plain, secure, none := proxy("proxy"), cmp.Or(proxy("https-proxy"), proxy("proxy")), r.options["noproxy"]
	if len(files) == 0 && plain+secure+none == "" {
		return nil
	}
	transport, ok := r.client.Transport.(*http.Transport)
	if !ok {
		transport = http.DefaultTransport.(*http.Transport)
	}
	transport = transport.Clone()
	r.client.Transport = transport
	proxies := httpproxy.FromEnvironment()
	proxies.HTTPProxy, proxies.HTTPSProxy = cmp.Or(plain, proxies.HTTPProxy), cmp.Or(secure, proxies.HTTPSProxy)
	proxies.NoProxy = cmp.Or(none, proxies.NoProxy)
	of := proxies.ProxyFunc()
	transport.Proxy = func(req *http.Request) (*url.URL, error) { return of(req.URL) }
	if len(files) == 0 {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && !pool.AppendCertsFromPEM(text) {
			err = fmt.Errorf("%s has no certificate", file)
		}
		if err != nil {
			return fmt.Errorf("read the certificates of a registry: %w; correct cafile in %s", err, r.file)
		}
	}
	transport.TLSClientConfig = cmp.Or(transport.TLSClientConfig, &tls.Config{MinVersion: tls.VersionTLS12})
	transport.TLSClientConfig.RootCAs = pool
	return nil
}

// refusal returns why nothing is asked of a registry, or nil.
func (r registries) refusal(registry *url.URL) *RefusedError {
	for name := range r.options {
		at, option, isScoped := cutLast(name, ":")
		if !isScoped {
			at, option = "", name
		}
		if (option == "cert" || option == "certfile") && (at == "" || strings.HasPrefix(at, "//"+registry.Host+"/")) {
			return &RefusedError{
				fmt.Sprintf("%s gets no client certificate, as %q in %s asks for: that is not read", registry.Host, name, r.file), install(r.manager),
			}
		}
	}
	return nil
}

// of returns the registry of a package, with a slash at its end.
func (r registries) of(name string) string {
	scope, _, _ := strings.Cut(name, "/")
	registry := cmp.Or(r.options[scope+":registry"], r.options["registry"], defaultRegistry)
	return strings.TrimSuffix(registry, "/") + "/"
}

// authorization returns the header for a request about a package. Credentials are those of its scope, of the
// innermost directory of the address that has some, or of the registry of packages without a scope. They go only
// to the registry that they are for.
func (r registries) authorization(name string, at *url.URL) string {
	var prefixes []string
	scope, _, _ := strings.Cut(name, "/")
	if isBelow(at, r.of(name)) {
		prefixes = append(prefixes, scope+":")
	}
	dir := strings.TrimSuffix(at.Path, "/")
	for ; dir != ""; dir = dir[:strings.LastIndexByte(dir, '/')] {
		prefixes = append(prefixes, "//"+at.Host+dir+"/:")
	}
	prefixes = append(prefixes, "//"+at.Host+"/:")
	if isBelow(at, r.of("")) {
		prefixes = append(prefixes, "")
	}
	for _, prefix := range prefixes {
		user := r.credential(prefix + "username")
		password, err := base64.StdEncoding.DecodeString(r.credential(prefix + "_password"))
		if token := r.credential(prefix + "_authToken"); token != "" {
			return "Bearer " + token
		} else if auth := r.credential(prefix + "_auth"); auth != "" {
			return "Basic " + auth
		} else if user != "" && len(password) > 0 && err == nil {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(password)))
		}
	}
	return ""
}

// credential returns "" for an option with a variable that is not set.
func (r registries) credential(name string) string {
	if value := r.options[name]; !strings.Contains(value, "${") {
		return value
	}
	return ""
}

func isBelow(at *url.URL, registry string) bool {
	base, err := url.Parse(registry)
	return err == nil && at.Host == base.Host && at.Scheme == base.Scheme && strings.HasPrefix(at.Path, base.Path)
}
