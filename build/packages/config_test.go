package packages

import (
	"archive/tar"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere is a client whose requests to other servers than the loopback's private registry end at a public one.
type elsewhere struct{ private, public string }

func (e elsewhere) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != e.private {
		req.URL.Scheme, req.URL.Host = "http", e.public
	}
	return http.DefaultTransport.RoundTrip(req)
}

// scopedLockfiles describe @acme/a, for the plugin in the directory plugin.
func scopedLockfiles(integrity string) map[string][2]string {
	return map[string][2]string{
		npm:   {"package-lock.json", fmt.Sprintf(`{"packages": {"node_modules/@acme/a": {"version": "1.0.0", "integrity": %q}}}`, integrity)},
		yarn1: {"yarn.lock", "# yarn lockfile v1\n\n\"@acme/a@1\":\n  version \"1.0.0\"\n  integrity " + integrity + "\n"},
		yarn:  {"yarn.lock", "\n__metadata:\n  version: 8\n\n\"@acme/a@npm:1\":\n  version: 1.0.0\n  resolution: \"@acme/a@npm:1.0.0\"\n"},
		pnpm: {"pnpm-lock.yaml", fmt.Sprintf("importers: {plugin: {dependencies: {'@acme/a': {version: 1.0.0}}}}\n"+
			"packages: {'@acme/a@1.0.0': {resolution: {integrity: %s}}}", integrity)},
	}
}

// Wherever a private registry is configured, a package comes from it, with its credentials. In the configuration,
// URL is the address of the registry and HOST is that without "http:".
func TestConfiguration(t *testing.T) {
	t.Parallel()
	const basic = "Basic dXNlcjpwYXNz" // user:pass
	for name, c := range map[string]struct {
		manager, file, text string
		environ             []string
		want                string // authorization
	}{
		"npm, workspace":     {npm, ".npmrc", "@acme:registry=URL", nil, ""},
		"npm, plugin":        {npm, "plugin/.npmrc", "registry = 'URL' ; private", nil, ""},
		"npm, user":          {npm, "home/.npmrc", "registry=\"URL\"\nHOST/:_authToken=${TOKEN}", nil, "Bearer secret"},
		"npm, user and pass": {npm, ".npmrc", "registry=URL\nHOST/:username=user\nHOST/:_password=cGFzcw==", nil, basic},
		"npm, _auth":         {npm, ".npmrc", "registry=URL\nHOST/:_auth=dXNlcjpwYXNz", nil, basic},
		"npm 6, _auth":       {npm, ".npmrc", "registry=URL\n_auth=dXNlcjpwYXNz", nil, basic},
		"npm, variables":     {npm, "none", "", []string{"npm_config_@acme:registry=URL", "npm_config_HOST/:_authToken=x"}, "Bearer x"},
		"npm, unset token":   {npm, ".npmrc", "registry=URL\nHOST/:_authToken=${NONE}", nil, ""},
		"npm, another's":     {npm, ".npmrc", "@acme:registry=URL\n_authToken=x\n//registry.npmjs.org/:_authToken=y", nil, ""},
		"yarn 1, .yarnrc":    {yarn1, ".yarnrc", "# private\n\"@acme:registry\" \"URL\"\n", nil, ""},
		"yarn 1, .npmrc":     {yarn1, ".npmrc", "registry=URL\n_authToken=x", nil, "Bearer x"},
		"yarn, server":       {yarn, ".yarnrc.yml", "npmRegistryServer: URL\nnpmAuthToken: ${TOKEN}", nil, "Bearer secret"},
		"yarn, ident":        {yarn, ".yarnrc.yml", "npmRegistryServer: URL\nnpmAuthIdent: user:${NONE-pass}", nil, basic},
		"yarn, encoded":      {yarn, "plugin/.yarnrc.yml", "npmRegistryServer: ${NONE:-URL}\nnpmAuthIdent: dXNlcjpwYXNz", nil, basic},
		"yarn, scope":        {yarn, ".yarnrc.yml", "npmAuthToken: x\nnpmScopes: {acme: {npmRegistryServer: URL, npmAuthToken: y}}", nil, "Bearer y"},
		"yarn, another's":    {yarn, ".yarnrc.yml", "npmAuthToken: x\nnpmScopes: {acme: {npmRegistryServer: URL}, b: {npmAuthToken: y}}", nil, ""},
		"yarn, registries":   {yarn, ".yarnrc.yml", "npmRegistryServer: URL/\nnpmRegistries: {'HOST/': {npmAuthToken: x}}", nil, "Bearer x"},
		"yarn, user":         {yarn, "home/.yarnrc.yml", "npmScopes: {acme: {npmRegistryServer: URL}}", nil, ""},
		"yarn, variables":    {yarn, "none", "", []string{"YARN_NPM_REGISTRY_SERVER=URL", "YARN_NPM_AUTH_TOKEN=x"}, "Bearer x"},
		"yarn, another name": {yarn, ".yarnrc.ci.yml", "npmRegistryServer: URL", []string{"YARN_RC_FILENAME=.yarnrc.ci.yml"}, ""},
		"yarn, not npm's": {yarn, ".yarnrc.yml", "npmRegistryServer: URL",
			[]string{"npm_config_registry=https://example.com", "npm_config_@acme:registry=https://example.com"}, ""},
		"npm, proxy":       {npm, ".npmrc", "registry=http://registry.invalid\nhttps-proxy=null\nproxy=URL", nil, ""},
		"yarn, proxy":      {yarn, ".yarnrc.yml", "npmRegistryServer: http://registry.invalid\nhttpProxy: URL", nil, ""},
		"pnpm, .npmrc":     {pnpm, ".npmrc", "@acme:registry=URL", nil, ""},
		"pnpm, registries": {pnpm, "pnpm-workspace.yaml", "registries: {default: https://example.com, '@acme': URL}", nil, ""},
		"pnpm, registry":   {pnpm, "pnpm-workspace.yaml", "registry: URL", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			private, public := newRegistry(t), newRegistry(t)
			integrity := private.add(t, "@acme/a", "1.0.0")
			public.add(t, "@acme/a", "1.0.0", tar.Header{Name: "package/impostor.js"})
			fill := strings.NewReplacer("URL", private.URL, "HOST", strings.TrimPrefix(private.URL, "http:"))
			lock := scopedLockfiles(integrity)[c.manager]
			o := repo(t, private, map[string]string{".npmrc": "\n", "plugin/package.json": "{}", lock[0]: lock[1], c.file: fill.Replace(c.text)})
			o.Environ = []string{"TOKEN=secret", "HOME=" + filepath.Join(o.Root, "home")}
			for _, entry := range c.environ {
				o.Environ = append(o.Environ, strings.NewReplacer("=URL", "="+private.URL, "HOST", fill.Replace("HOST")).Replace(entry))
			}
			o.Root = filepath.Join(o.Root, "plugin")
			o.Client = &http.Client{Transport: elsewhere{private.Listener.Addr().String(), public.Listener.Addr().String()}}
			s := mustOpen(t, o)
			dir, ok, err := s.Dir(t.Context(), filepath.Join(o.Root, "src", "module.ts"), "@acme/a")
			if err != nil || !ok || !exists(filepath.Join(dir, "node_modules", "@acme", "a", "index.js")) {
				t.Errorf("%s, %t, %v", dir, ok, err)
			}
			if got := private.auth.Load(); got != c.want {
				t.Errorf("the private registry got the credentials %q, want %q", got, c.want)
			}
			if n := public.requests.Load(); n > 0 {
				t.Errorf("%d requests to the public registry", n)
			}
		})
	}
}

// What cannot be understood is not taken for "no registry is configured".
func TestConfigurationRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ manager, file, text, want string }{
		"variable":       {npm, ".npmrc", "registry=${NONE}", `must be an http or https URL, not "${NONE}/": correct it in .npmrc`},
		"Yarn variable":  {yarn, ".yarnrc.yml", "npmRegistryServer: ${NONE}", "correct it in .yarnrc.yml"},
		"Yarn syntax":    {yarn, ".yarnrc.yml", "npmScopes: [", ".yarnrc.yml: yaml:"},
		"pnpm syntax":    {pnpm, "pnpm-workspace.yaml", "registries: [", "pnpm-workspace.yaml: yaml:"},
		"no cafile":      {npm, ".npmrc", "cafile=none.pem", "none.pem: no such file or directory; correct cafile in .npmrc"},
		"certificate":    {npm, ".npmrc", "registry=URL\ncert=x", `gets no client certificate, as "cert" in .npmrc asks for`},
		"Yarn's":         {yarn, ".yarnrc.yml", "npmRegistryServer: URL\nhttpsCertFilePath: x", "gets no client certificate"},
		"no credentials": {npm, ".npmrc", "registry=URL", "401 Unauthorized: correct the credentials for "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
			defer server.Close()
			lock := scopedLockfiles("sha512-AAAA")[c.manager]
			files := map[string]string{"plugin/package.json": "{}", lock[0]: lock[1], c.file: strings.ReplaceAll(c.text, "URL", server.URL)}
			if c.file != ".npmrc" {
				files[".npmrc"] = "\n"
			}
			o := repo(t, &registry{Server: server}, files)
			o.Root = filepath.Join(o.Root, "plugin")
			s, err := Open(o)
			if err == nil {
				_, _, err = s.Dir(t.Context(), filepath.Join(o.Root, "src", "module.ts"), "@acme/a")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
		})
	}
}

// A registry with a certificate of its own authority is trusted by cafile only.
func TestAuthority(t *testing.T) {
	t.Parallel()
	packed := tarball(t, tar.Header{Name: "package/index.js"})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for text, isTrusted := range map[string]bool{"": false, "\ncafile=ca.pem": true} {
		o := repo(t, &registry{Server: server}, map[string]string{
			"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", integrityOf(packed)),
			".npmrc":            "registry=" + server.URL + text, "ca.pem": string(authority),
		})
		o.Client, o.Pause = nil, 1
		if _, err := fetched(t, o); (err == nil) != isTrusted {
			t.Errorf("%q: got the error %v", text, err)
		}
	}
}
