package verbs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate/config"
	"github.com/slipway-dev/slipway/validate/schema"
)

// SchemaOptions are the options of the verb schema.
type SchemaOptions struct {
	What    string // plugin or config; "" is both
	Dir     string // folder to write into; "" is the current one
	Profile string // of plugin.json; "" is found from the file in Dir
}

// schemaFile is a JSON Schema for editors.
type schemaFile struct {
	what string // as given to schema
	name string // of the file that it is written to
	of   string // the file that it describes
	note string // behind it, in the line that says what was written
	make func(profile string) ([]byte, error)
}

func schemaFiles() []schemaFile {
	return []schemaFile{
		{"plugin", "plugin.schema.json", "plugin.json", " (profile %s)", pluginSchema},
		{"config", "slipway.schema.json", config.FileName, "", func(string) ([]byte, error) { return config.Schema(), nil }},
	}
}

func pluginSchema(profile string) ([]byte, error) {
	data, err := schema.JSON(profile)
	return append(data, '\n'), err
}

// Schema writes JSON Schemas with which an editor completes, explains and checks
// plugin.json and slipway.yaml while someone types. They are those of validate.
func Schema(w io.Writer, o SchemaOptions) error {
	if o.Dir == "" {
		o.Dir = "."
	}
	profile, err := schemaProfile(o)
	if err != nil {
		return usage("-profile: %w", err)
	}
	var known []string
	wrote := false
	for _, s := range schemaFiles() {
		known = append(known, s.what)
		if o.What != "" && o.What != s.what {
			continue
		}
		data, err := s.make(profile.Name)
		if err != nil {
			return err
		}
		file := filepath.Join(o.Dir, s.name)
		err = writeTo(nil, file, func(w io.Writer, _ bool) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return fmt.Errorf("%w: name a folder that can be written to with -dir", err)
		}
		fmt.Fprintf(w, "wrote %s, the schema of %s%s\n", shortPath(file), s.of, strings.ReplaceAll(s.note, "%s", profile.Name))
		wrote = true
	}
	if !wrote {
		return usage("no schema %q: use one of %s", o.What, strings.Join(known, ", "))
	}
	return nil
}

// schemaProfile is the profile asked for, else that of the plugin.json in the folder.
func schemaProfile(o SchemaOptions) (bundle.Profile, error) {
	if o.Profile != "" {
		return bundle.ProfileByName(o.Profile)
	}
	for _, name := range []string{"src/plugin.json", "plugin.json"} {
		data, err := os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		if doc, _ := bundle.ParseDocument(name, data); doc != nil {
			if p, ok := bundle.DetectProfile(doc); ok {
				return p, nil
			}
		}
	}
	return bundle.ProfileByName("")
}
