package templates

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/slipway-dev/slipway/internal/nearest"
)

// Options describe the plugin to scaffold. Type and ID are required.
type Options struct {
	Type        string // one of Types
	ID          string // <org>-<name>-<type>
	Dir         string // "" is a new directory named after the id
	Name        string // "" derives it from the id
	Org         string // "" is the first part of the id
	Description string // "" derives one sentence from the name
	Force       bool   // write into a directory that is not empty
	Slipway     Module // what the plugin repository builds with
	Schema      []byte // JSON Schema of plugin.json for editors; nil writes none
	Today       time.Time
}

// Module is where a plugin repository finds Slipway: a released version with its
// lines for go.sum, or a local checkout.
type Module struct {
	Checkout string   // absolute directory, or ""
	Version  string   // used if Checkout is ""
	Sums     []string // lines for go.sum; may be empty
}

// Errors of a directory that cannot be scaffolded into. They are wrapped in a
// RequestError.
var (
	ErrNotEmpty     = errors.New("directory is not empty")
	ErrNotDirectory = errors.New("not a directory")
)

// RequestError is an error in the options, as opposed to one of the file system.
type RequestError struct{ Err error }

// Error returns the text of Err.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RequestError) Unwrap() error { return e.Err }

func request(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}

// Result lists the files of a scaffold. Paths are relative to Dir.
type Result struct {
	Dir         string // absolute
	Created     []string
	Overwritten []string // existed with other content
	Unchanged   []string
}

//go:embed all:files
var files embed.FS

const suffix = ".tmpl"

// Types returns the plugin types that can be scaffolded.
func Types() []string { return []string{"datasource", "panel"} }

// file is a rendered file.
type file struct {
	path string // relative to the new repository
	data []byte
}

// fields is the data of the templates.
type fields struct {
	ID, Name, Org, Description string
	Executable                 string
	GoModule                   string
	Date                       string
	Backend                    bool
	HasSchema                  bool
	Slipway                    Module
}

// Scaffold renders a plugin repository and writes it. It writes nothing if any file
// is not writable. If writing fails later, it returns both an error and the files
// written so far.
func Scaffold(o Options) (*Result, error) {
	f, err := check(o)
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		o.Dir = o.ID
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	if err := checkDir(dir, o.Force); err != nil {
		return nil, err
	}
	rendered, err := render(o.Type, f)
	if err != nil {
		return nil, err
	}
	if o.Schema != nil {
		rendered = append(rendered, file{path: "plugin.schema.json", data: o.Schema})
	}
	return write(dir, rendered)
}

var idForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// check validates the options and fills in the defaults.
func check(o Options) (fields, error) {
	if !slices.Contains(Types(), o.Type) {
		return fields{}, &RequestError{nearest.Unknown("plugin type", o.Type, Types())}
	}
	parts := strings.Split(o.ID, "-")
	if !idForm.MatchString(o.ID) || len(parts) < 3 || parts[len(parts)-1] != o.Type {
		return fields{}, request("invalid plugin id %q; use <org>-<name>-%s in lowercase letters and digits, such as acme-hello-%s", o.ID, o.Type, o.Type)
	}
	middle := parts[1 : len(parts)-1]
	f := fields{
		ID: o.ID, Name: o.Name, Org: o.Org, Description: o.Description,
		Executable: "gpx_" + strings.Join(middle, "_"),
		Date:       o.Today.Format(time.DateOnly),
		Backend:    o.Type == "datasource",
		HasSchema:  o.Schema != nil,
		Slipway:    o.Slipway,
	}
	if f.Org == "" {
		f.Org = parts[0]
	}
	if f.Name == "" {
		f.Name = title(middle)
	}
	if f.Description == "" {
		f.Description = f.Name + map[string]string{"datasource": ", a data source.", "panel": ", a panel."}[o.Type]
	}
	for _, field := range [][2]string{{"name", f.Name}, {"org", f.Org}, {"description", f.Description}} {
		if strings.ContainsFunc(field[1], func(r rune) bool { return r < ' ' }) {
			return fields{}, request("the %s must be a single line without control characters", field[0])
		}
	}
	f.GoModule = "github.com/" + parts[0] + "/" + o.ID
	return f, nil
}

func title(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(out, " ")
}

// checkDir returns an error if dir contains anything but .git.
func checkDir(dir string, force bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return request("scaffold into %s: %w", dir, ErrNotDirectory)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || force && err == nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scaffold into %s: %w", dir, err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return request("scaffold into %s: %w (it contains %s)", dir, ErrNotEmpty, e.Name())
		}
	}
	return nil
}

// targetName returns the name of the file that a template renders to. Some templates
// are renamed because tools would act on their names inside this module.
func targetName(name string) string {
	name = strings.TrimSuffix(name, suffix)
	switch name {
	case "gitignore":
		return ".gitignore"
	case "workflow.yml":
		return ".github/workflows/ci.yml"
	}
	return name
}

// render renders the files common to all types and those of the given type.
func render(pluginType string, f fields) ([]file, error) {
	var out []file
	for _, tree := range []string{"common", pluginType} {
		root := path.Join("files", tree)
		err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := files.ReadFile(name)
			if err != nil {
				return err
			}
			t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").
				Funcs(template.FuncMap{"json": quote, "modpath": modPath}).Parse(string(text))
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := t.Execute(&b, f); err != nil {
				return err
			}
			rel := strings.TrimPrefix(name, root+"/")
			out = append(out, file{path: path.Join(path.Dir(rel), targetName(path.Base(rel))), data: b.Bytes()})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("render templates: %w", err)
		}
	}
	return out, nil
}

// quote returns a string as JSON without escaping for HTML.
func quote(s string) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// modPath returns a path for go.mod, quoted if it contains special characters.
func modPath(p string) string {
	if strings.ContainsAny(p, " \t()[]{},;\"'`") || strings.Contains(p, "//") {
		return strconv.Quote(p)
	}
	return p
}

// write writes the files that differ, after checking that all of them are writable.
func write(dir string, rendered []file) (*Result, error) {
	r := &Result{Dir: dir}
	var differ []file
	exists := map[string]bool{}
	for _, f := range rendered {
		before, err := readWritable(filepath.Join(dir, filepath.FromSlash(f.path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			differ = append(differ, f)
		case err != nil:
			return nil, fmt.Errorf("scaffold into %s: cannot write %s: %w; nothing was written; move the file away or make it writable", dir, f.path, err)
		case bytes.Equal(before, f.data):
			r.Unchanged = append(r.Unchanged, f.path)
		default:
			exists[f.path] = true
			differ = append(differ, f)
		}
	}
	for _, f := range differ {
		target := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return r, fmt.Errorf("write %s: %w", f.path, err)
		}
		if err := os.WriteFile(target, f.data, 0o644); err != nil {
			return r, fmt.Errorf("write %s: %w", f.path, err)
		}
		if exists[f.path] {
			r.Overwritten = append(r.Overwritten, f.path)
		} else {
			r.Created = append(r.Created, f.path)
		}
	}
	return r, nil
}

// readWritable reads a file that is about to be overwritten. It fails if the file is
// not writable.
func readWritable(target string) (before []byte, err error) {
	if info, err := os.Stat(target); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.OpenFile(target, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	before, err = io.ReadAll(f)
	return before, errors.Join(err, f.Close())
}
