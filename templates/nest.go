package templates

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// Nest renders a data source or a panel, and adds it to an app: its sources are in src/<name> and pkg/<name>, and
// "includes" of the app lists it. The profile and the range of versions are those of the app.
func Nest(o Options, app bundle.Repo) (*Result, error) {
	if o.Type != string(bundle.TypeDatasource) && o.Type != string(bundle.TypePanel) {
		return nil, request("an app can contain data sources and panels, but not a plugin of type %q", o.Type)
	}
	file := filepath.Join(app.Source, bundle.MetadataFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, err := bundle.ParseDocument(file, data)
	if err != nil {
		return nil, fmt.Errorf("read the app: %w", err)
	}
	if kind, _ := doc.Text("/type"); kind != string(bundle.TypeApp) {
		return nil, request("%s is of type %q; only an app can contain other plugins", file, kind)
	}
	o.Profile, o.Schema = profileOf(doc), nil
	f, err := check(o)
	if err != nil {
		return nil, err
	}
	f.Nested = strings.TrimPrefix(f.Executable, "gpx_")
	for _, key := range f.Profile.Keys {
		if r, ok := doc.Text("/dependencies/" + key.DependencyKey); ok {
			f.Range = r
		}
	}
	all, err := render(f)
	if err != nil {
		return nil, fmt.Errorf("render templates: %w", err)
	}
	source, err := filepath.Rel(app.Root, app.Source)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{filepath.Join(app.Source, f.Nested), filepath.Join(app.Root, "pkg", f.Nested)} {
		if err := checkContent(dir, o.Force); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, file := range all {
		if to, ok := f.nested(filepath.ToSlash(source), file.Path); ok {
			files = append(files, File{Path: to, Data: file.Data})
		}
	}
	r, err := write(app.Root, files)
	if err != nil {
		return r, err
	}
	root, err := os.OpenRoot(app.Root)
	if err != nil {
		return r, err
	}
	defer root.Close()
	to := path.Join(filepath.ToSlash(source), bundle.MetadataFile)
	r.Edited = []string{to}
	return r, atomicfile.WriteIn(root, to, 0o644, withInclude(doc, f))
}

// profileOf returns the name of the profile whose keys a plugin.json has.
func profileOf(doc *bundle.Document) string {
	var names []string
	for _, p := range Profiles() {
		if !slices.ContainsFunc(p.Keys, func(k bundle.Profile) bool { return !doc.Has("/dependencies/" + k.DependencyKey) }) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1] // "both" is the last
}

// nested returns the path of a file of a scaffold in the repository of an app, and whether the app needs it.
func (f fields) nested(source, name string) (to string, ok bool) {
	first, rest, _ := strings.Cut(name, "/")
	switch {
	case name == "src/README.md":
		return "", false
	case first == "src":
		return path.Join(source, f.Nested, rest), true
	case first == "pkg":
		return path.Join("pkg", f.Nested, rest), true
	case first == "provisioning" && f.Type.Name == string(bundle.TypeDatasource):
		return path.Join(path.Dir(name), f.Nested+path.Ext(name)), true
	}
	return "", false
}

// withInclude adds the entry of a nested plugin at the end of "includes", and that key at the end of plugin.json if it
// is missing.
func withInclude(doc *bundle.Document, f fields) []byte {
	name, _ := quote(f.Name) // a string always encodes
	entry := fmt.Sprintf(`{ "type": %q, "name": %s, "path": "%s/plugin.json" }`, f.Type.Name, name, f.Nested)
	at, before := 0, ""
	items, keys := doc.Items("/includes"), doc.Keys("")
	switch {
	case len(items) > 0:
		last := doc.Value(items[len(items)-1])
		at, before = last.End.Offset, ","+indentation(doc.Data, last.Start.Offset)
	case doc.Has("/includes"):
		at = doc.Value("/includes").Start.Offset + 1
	default:
		last := "/" + bundle.EscapePointer(keys[len(keys)-1])
		at, before = doc.Value(last).End.Offset, ","+indentation(doc.Data, doc.Key(last).Start.Offset)
		entry = `"includes": [` + entry + `]`
	}
	return slices.Concat(doc.Data[:at], []byte(before+entry), doc.Data[at:])
}

// indentation returns the line break and the white space before an offset, or a space if something else is on the line.
func indentation(data []byte, offset int) string {
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	if space := string(data[start:offset]); start > 0 && strings.TrimSpace(space) == "" {
		return "\n" + space
	}
	return " "
}

// ErrNested is the error for a directory in the repository of another plugin.
var ErrNested = errors.New("it is in the repository of another plugin")

// checkNested returns an error if a new repository at dir would be inside another one.
func checkNested(dir string) error {
	above := filepath.Dir(dir)
	for !isDir(above) && above != filepath.Dir(above) {
		above = filepath.Dir(above)
	}
	if repo, err := bundle.FindRepo(above); err == nil {
		return request("scaffold into %s: %w, %s", dir, ErrNested, repo.Root)
	}
	return nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
