package compat

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func (p plugin) frontend(o Options) []Row {
	row := Row{
		Aspect: "frontend", Found: "module.js", Here: Partly, Existing: Yes,
		Help: "this host serves the files of a frontend, but its console does not run them",
	}
	maxSize, extensions := int64(maxScript), []string{".js", ".mjs"}
	if p.isSource {
		row.Found, maxSize, extensions = "sources", maxSource, []string{".ts", ".tsx", ".js", ".jsx"}
	}
	var called []string
	count := 0
	isComplete := eachText(p.files, p.dir, false, maxSize, extensions, func(text []byte) {
		count++
		called = calledRoutes(called, text)
	})
	module, err := readText(p.files, path.Join(p.dir, "module.js"), maxScript)
	if p.needsModule && errors.Is(err, fs.ErrNotExist) {
		row.Found, row.Existing, row.Help = "no module.js", No, "existing hosts load it for this type of plugin: build the whole plugin"
		return []Row{row}
	}
	if count == 0 && isComplete || err != nil && !p.isSource && isComplete {
		return nil
	}
	rows := []Row{row}
	if !isComplete {
		rows = append(rows, unreadRow())
	}
	if missing := lacking(called, o.Routes); len(missing) > 0 {
		rows = append(rows, Row{
			Aspect: "routes", Found: strings.Join(missing, ", "), Here: Partly, Existing: Yes,
			Help: "this host does not serve them, so whatever the frontend uses them for fails here",
		})
	}
	rows = append(rows, goneRows(called, o)...)
	if err == nil && o.IsShared != nil {
		libraries := requested(module)
		if slices.ContainsFunc(libraries, isAngular) {
			rows = append(rows, angularRow(o.Existing))
		}
		foreign := slices.DeleteFunc(libraries, func(name string) bool { return isAngular(name) || o.IsShared(name) })
		if len(foreign) > 0 {
			row := Row{
				Aspect: "libraries", Found: strings.Join(foreign, ", "), Here: Partly, Existing: Partly,
				Help: "not every host shares them: bundle them, or require a host that shares them",
			}
			if slices.ContainsFunc(foreign, func(name string) bool { return strings.HasPrefix(name, "app/") }) {
				row.Help = "not every host shares them: bundle those that are packages; those below app/ are parts of the host, so use the " +
					"@grafana packages instead"
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// isAngular reports whether only plugins for Angular ask for a library.
func isAngular(library string) bool { return library == "angular" || library == "app/plugins/sdk" }

// angularRow reports a frontend for Angular. Version 11 of existing hosts has it off by
// default, and version 12 does not have it.
func angularRow(existing string) Row {
	row := Row{
		Aspect: "angular", Found: "a frontend for Angular", Here: Partly, Existing: Partly,
		Help: "existing hosts from version 12 on do not run it, and version 11 does so only with angular_support_enabled: port the " +
			"frontend to React",
	}
	switch {
	case admits("<12", existing) == No:
		row.Existing = No
	case existing != "" && admits("<11", existing) == Yes:
		row.Existing = Yes
	}
	return row
}

// unreadRow reports that something was not checked.
func unreadRow() Row {
	return Row{
		Aspect: "files", Found: "not all were read", Here: Unknown, Existing: Unknown,
		Help: fmt.Sprintf("files must be readable, scripts at most %d MiB, source files at most %d MiB, and all of them together at most "+
			"%d MiB", maxScript>>20, maxSource>>20, maxTexts>>20),
	}
}

// readText reads a file of at most max bytes.
func readText(files fs.FS, name string, max int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := limit.ReadAll(f, max)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// eachText calls do with each file below dir that has one of the extensions, without those
// of tools and tests and, unless all is set, of nested plugins. It reports false if it could
// not read all of them.
func eachText(files fs.FS, dir string, all bool, maxSize int64, extensions []string, do func([]byte)) (isComplete bool) {
	left, count := int64(maxTexts), 0
	err := fs.WalkDir(files, dir, func(name string, e fs.DirEntry, err error) error {
		count++
		switch {
		case err != nil:
			return err
		case count > maxFiles:
			return errTooManyFiles
		case e.IsDir() && name != dir && (bundle.IsToolDir(e.Name()) || !all && isPlugin(files, name)):
			return fs.SkipDir
		case e.IsDir(), !slices.Contains(extensions, path.Ext(name)), strings.Contains(path.Base(name), ".test."),
			strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := readText(files, name, min(maxSize, left))
		if err != nil {
			return err
		}
		left -= int64(len(text))
		do(text)
		return nil
	})
	return err == nil
}

func isPlugin(files fs.FS, dir string) bool {
	_, err := fs.Stat(files, path.Join(dir, bundle.MetadataFile))
	return err == nil
}

// calledRoute matches a path of the API as a string or the beginning of one in JavaScript.
var calledRoute = regexp.MustCompile("[\"'`]/?(api/(?:[A-Za-z0-9_.~:/-]|\\$\\{[^{}`]{0,200}\\})+)")

// interpolation matches an expression in a template literal.
var interpolation = regexp.MustCompile(`\$\{[^{}]*\}`)

// hostRoots returns the first segments of the paths that hosts serve: any other path is one
// of the service that the plugin calls.
func hostRoots() []string {
	return []string{
		"access-control", "admin", "alertmanager", "alerts", "annotations", "auth", "dashboard", "dashboards", "datasources", "ds", "folders",
		"frontend", "gnet", "health", "library-elements", "live", "login", "org", "orgs", "playlists", "plugin-proxy", "plugins", "query-history",
		"ruler", "search", "serviceaccounts", "short-urls", "snapshots", "teams", "tsdb", "user", "users",
	}
}

// calledRoutes adds the paths of the API of hosts in a script to a list, which it sorts. An
// expression in a path is {}, and a path that continues at run time ends with a slash.
func calledRoutes(list []string, script []byte) []string {
	for _, m := range calledRoute.FindAllSubmatch(script, -1) {
		route := "/" + interpolation.ReplaceAllString(string(m[1]), "{}")
		root, _, _ := strings.Cut(strings.TrimPrefix(route, "/api/"), "/")
		if slices.Contains(hostRoots(), root) && !slices.Contains(list, route) && len(list) < maxNames {
			list = append(list, route)
		}
	}
	slices.Sort(list)
	return list
}

// lacking returns the called paths that no pattern matches.
func lacking(called, patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(called), func(route string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, route) })
	})
}

// matches reports whether a pattern of http.ServeMux can match a path. A path that ends with
// a slash may continue.
func matches(pattern, route string) bool {
	isOpen := strings.HasSuffix(route, "/")
	want, got := strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(strings.Trim(route, "/"), "/")
	for i, segment := range got {
		if i == len(want) {
			return false
		}
		if strings.HasSuffix(want[i], "...}") {
			return true
		}
		isAny := strings.HasPrefix(want[i], "{") || strings.Contains(segment, "{}")
		if !isAny && want[i] != segment {
			return false
		}
	}
	return len(got) == len(want) || isOpen
}

// requested returns the libraries that module.js asks its host for.
func requested(module []byte) (list []string) {
	for _, m := range inspect.Requested(module) {
		if !slices.Contains([]string{"module", "exports", "require"}, m.Module) && !strings.HasPrefix(m.Module, ".") {
			list = append(list, m.Module)
		}
	}
	return list
}
