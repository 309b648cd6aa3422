package packages

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/limit"
)

// configuration reads files and variables into options by npm's names.
type configuration struct {
	options   map[string]string
	variables map[string]string
}

// readRegistries reads what the package manager reads: a name for which it asks a private registry is never
// asked of another one.
func readRegistries(o Options, l *lock) registries {
	c := configuration{map[string]string{}, map[string]string{}}
	for _, entry := range o.Environ {
		name, value, _ := strings.Cut(entry, "=")
		c.variables[name] = value
	}
	r := registries{manager: l.manager, file: ".npmrc", options: c.options, client: &http.Client{}}
	if o.Client != nil {
		*r.client = *o.Client
	}
	r.client.CheckRedirect = withoutToken
	dirs := l.dirs()
	home := cmp.Or(c.variables["HOME"], c.variables["USERPROFILE"])
	var err error
	if l.manager == yarn {
		err = c.readYarn(home, dirs)
	}
	if len(c.options) > 0 || err != nil {
		r.file = ".yarnrc.yml"
	} else { // a repository of Yarn that configures no registry may come with npm's
		err = c.readNPM(home, dirs, l.manager)
	}
	r.err = cmp.Or(err, r.connect(c.options["cafile"], c.variables["NODE_EXTRA_CA_CERTS"]))
	return r
}

// dirs returns the directories with configuration, the one that takes precedence last.
func (l *lock) dirs() (dirs []string) {
	outermost := filepath.Dir(l.file)
	isYarn := l.manager == yarn || l.manager == yarn1
	if isYarn {
		outermost = l.top
	}
	for dir := l.root; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == outermost || dir == filepath.Dir(dir) {
			break
		}
	}
	if isYarn { // for which the innermost takes precedence, and not the one with the lockfile
		slices.Reverse(dirs)
	}
	return dirs
}

// readFile returns "" for a file that does not exist.
func readFile(file string) (string, error) {
	text, err := limit.ReadSettings(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

func (c configuration) readNPM(home string, dirs []string, manager string) error {
	environment := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.variables)) {
		const prefix = "npm_config_"
		if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) || c.variables[name] == "" {
			continue
		}
		option := name[len(prefix):]
		if !strings.HasPrefix(option, "//") { // npm spells the names of others with hyphens
			option = strings.ToLower(option[:1] + strings.ReplaceAll(option[1:], "_", "-"))
		}
		environment[option] = c.variables[name]
	}
	user := environment["userconfig"]
	if user == "" && home != "" {
		user = filepath.Join(home, ".npmrc")
	}
	files := []string{environment["globalconfig"], user}
	for _, dir := range dirs {
		if manager == yarn1 {
			files = append(files, filepath.Join(dir, ".yarnrc"))
		}
		files = append(files, filepath.Join(dir, ".npmrc"))
	}
	for _, file := range files {
		text, err := readFile(file)
		if err != nil {
			return err
		}
		c.addLines(file, text)
	}
	if manager == pnpm {
		if err := c.readWorkspace(filepath.Join(dirs[len(dirs)-1], "pnpm-workspace.yaml")); err != nil {
			return err
		}
	}
	maps.Copy(c.options, environment)
	return nil
}

// addLines adds the options of an .npmrc, or of the .yarnrc of Yarn 1, which separates by a space.
func (c configuration) addLines(file, text string) {
	separator := "="
	if filepath.Base(file) == ".yarnrc" {
		separator = " "
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), separator)
		if !ok || strings.HasPrefix(name, "#") || strings.HasPrefix(name, ";") {
			continue
		}
		name, value = strings.Trim(strings.TrimSpace(name), `"'`), strings.TrimSpace(value)
		isQuoted := len(value) > 1 && value[0] == value[len(value)-1] && strings.Contains(`"'`, value[:1])
		if i := strings.IndexAny(value, "#;"); i >= 0 && !isQuoted { // a comment
			value = strings.TrimSpace(value[:i])
		}
		c.set(name, strings.Trim(value, `"'`), filepath.Dir(file))
	}
}

// set sets an option. Paths are relative to dir.
func (c configuration) set(name, value, dir string) {
	name, value = c.expand(name), c.expand(value)
	if name == "cafile" && value != "" {
		if below, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(cmp.Or(c.variables["HOME"], c.variables["USERPROFILE"]), below)
		} else if !filepath.IsAbs(value) {
			value = filepath.Join(dir, value)
		}
	}
	if value != "" {
		c.options[name] = value
	}
}

// variable matches ${NAME}, npm's ${NAME?} and Yarn's ${NAME-default} and ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([^${}?:-]+)(\?|:?-([^}]*))?\}`)

// expand fills variables in. One that is not set and has no default remains as it is: what it is part of must
// not be taken for not configured.
func (c configuration) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		part := variable.FindStringSubmatch(m)
		value, ok := c.variables[part[1]]
		switch isEmptyUnset := strings.HasPrefix(part[2], ":"); {
		case ok && (value != "" || !isEmptyUnset):
			return value
		case part[2] != "":
			return part[3]
		}
		return m
	})
}

// readWorkspace adds the registries of pnpm-workspace.yaml.
func (c configuration) readWorkspace(file string) error {
	text, err := readFile(file)
	if err != nil {
		return err
	}
	var workspace struct {
		Registry   string            `yaml:"registry"`
		Registries map[string]string `yaml:"registries"`
	}
	if err := yaml.Unmarshal([]byte(text), &workspace); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	c.set("registry", workspace.Registry, "")
	for scope, server := range workspace.Registries {
		if scope == "default" {
			c.set("registry", server, "")
		} else {
			c.set(scope+":registry", server, "")
		}
	}
	return nil
}

// yarnRegistry is a registry in .yarnrc.yml: the one of all packages, of a scope, or of an address.
type yarnRegistry struct {
	Server string `yaml:"npmRegistryServer"`
	Token  string `yaml:"npmAuthToken"`
	Ident  string `yaml:"npmAuthIdent"` // user:password, or that in base64
}

// readYarn reads what Yarn 2 and later read.
func (c configuration) readYarn(home string, dirs []string) error {
	name := cmp.Or(c.variables["YARN_RC_FILENAME"], ".yarnrc.yml")
	if home != "" {
		dirs = append([]string{home}, dirs...)
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		text, err := readFile(file)
		if err != nil {
			return err
		}
		var of struct {
			yarnRegistry `yaml:",inline"`
			Scopes       map[string]yarnRegistry `yaml:"npmScopes"`
			Registries   map[string]yarnRegistry `yaml:"npmRegistries"`
			CA           string                  `yaml:"httpsCaFilePath"`
			CA3          string                  `yaml:"caFilePath"` // until Yarn 3
			Proxy        string                  `yaml:"httpProxy"`
			SecureProxy  string                  `yaml:"httpsProxy"`
			Certificate  string                  `yaml:"httpsCertFilePath"`
		}
		if err := yaml.Unmarshal([]byte(text), &of); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		c.addYarn("", of.yarnRegistry)
		for scope, r := range of.Scopes {
			c.addYarn("@"+strings.TrimPrefix(scope, "@")+":", r)
		}
		for at, r := range of.Registries {
			c.addYarn(strings.TrimSuffix(at[max(strings.Index(at, "//"), 0):], "/")+"/:", r)
		}
		for name, value := range map[string]string{
			"cafile": cmp.Or(of.CA, of.CA3), "proxy": of.Proxy, "https-proxy": of.SecureProxy, "cert": of.Certificate,
		} {
			c.set(name, value, dir)
		}
	}
	c.addYarn("", yarnRegistry{
		c.variables["YARN_NPM_REGISTRY_SERVER"], c.variables["YARN_NPM_AUTH_TOKEN"], c.variables["YARN_NPM_AUTH_IDENT"],
	})
	return nil
}

func (c configuration) addYarn(prefix string, r yarnRegistry) {
	ident := c.expand(r.Ident)
	if strings.Contains(ident, ":") {
		ident = base64.StdEncoding.EncodeToString([]byte(ident))
	}
	c.set(prefix+"registry", r.Server, "")
	c.set(prefix+"_authToken", r.Token, "")
	c.set(prefix+"_auth", ident, "")
}
