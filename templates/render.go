package templates

// File is a file of a plugin repository.
type File struct {
	Path  string // relative to the repository, slash-separated
	Data  []byte
	Owned bool // it follows Slipway, and authors rarely edit it
}

// Render returns the files of a plugin repository. The same options render the same
// files.
func Render(o Options) (out []File, err error) {
	f, err := check(o)
	if err != nil {
		return nil, err
	}
	rendered, err := render(o.Type, f)
	if err != nil {
		return nil, err
	}
	if o.Schema != nil {
		rendered = append(rendered, file{path: "plugin.schema.json", data: o.Schema})
	}
	for _, r := range rendered {
		owned := false
		for _, name := range []string{".github/workflows/ci.yml", ".gitignore", "magefile.go", "plugin.schema.json"} {
			owned = owned || r.path == name
		}
		out = append(out, File{r.path, r.data, owned})
	}
	return out, nil
}
