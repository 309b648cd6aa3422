package templates

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed all:files
var files embed.FS

const suffix = ".tmpl"

// File is a file of a plugin repository.
type File struct {
	Path  string // relative to the repository, slash-separated
	Data  []byte
	Owned bool // it follows Slipway, and authors rarely edit it
}

// owned lists the files that follow Slipway: newer versions render them differently.
func owned() []string {
	return []string{
		".devcontainer/devcontainer.json", ".github/workflows/ci.yml", ".github/workflows/release.yml", ".gitignore",
		"docker-compose.yaml", "magefile.go", schemaFile, "tsconfig.json",
	}
}

const schemaFile = "plugin.schema.json"

// targetName returns the path of the file that a template renders to. Some templates
// are renamed because tools would act on their names inside this module.
func targetName(name string) string {
	name = strings.TrimSuffix(name, suffix)
	renamed := map[string]string{
		"gitignore":         ".gitignore",
		"nvmrc":             ".nvmrc",
		"npmrc":             ".npmrc",
		"workflow.yml":      ".github/workflows/ci.yml",
		"release.yml":       ".github/workflows/release.yml",
		"dependabot.yml":    ".github/dependabot.yml",
		"launch.json":       ".vscode/launch.json",
		"tasks.json":        ".vscode/tasks.json",
		"devcontainer.json": ".devcontainer/devcontainer.json",
	}
	return cmp.Or(renamed[name], name)
}

// Render returns the files of a plugin repository. The same options render the same
// files. Type, ID, Profile and Backend can be read back from src/plugin.json.
func Render(o Options) ([]File, error) {
	f, err := check(o)
	if err != nil {
		return nil, err
	}
	out, err := render(f)
	if err != nil {
		return nil, fmt.Errorf("render templates: %w", err)
	}
	if o.Schema != nil {
		out = append(out, File{Path: schemaFile, Data: o.Schema})
	}
	for i := range out {
		for _, name := range owned() {
			out[i].Owned = out[i].Owned || out[i].Path == name
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// layers returns the directories of templates that make up a repository.
func (f fields) layers() []string {
	list := []string{"common", f.Type.Name}
	if f.HasFrontend {
		list = append(list, "frontend")
	}
	if f.Backend {
		return append(list, "modules/backend")
	}
	return append(list, "modules/tools")
}

// render renders the layers, without the backend's code if there is none.
func render(f fields) (out []File, err error) {
	for _, layer := range f.layers() {
		root := path.Join("files", layer)
		err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel := strings.TrimPrefix(name, root+"/")
			if d.IsDir() {
				if rel == "pkg" && !f.Backend {
					return fs.SkipDir
				}
				return nil
			}
			data, err := execute(name, f)
			if err != nil {
				return err
			}
			out = append(out, File{Path: path.Join(path.Dir(rel), targetName(path.Base(rel))), Data: data})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func execute(name string, f fields) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").
		Funcs(template.FuncMap{"json": quote, "modpath": modPath}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, f)
	return b.Bytes(), err
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
