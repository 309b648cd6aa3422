package verbs

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate/schema"
)

type schemaOptions struct {
	Face    Face
	What    string // plugin or config; "" is both
	Dir     string // directory to write to; "" is the current one
	Profile string // of plugin.json; "" derives it from the file in Dir
}

// pluginSchema returns the schema of a plugin.json with the keys of some profiles.
func pluginSchema(profiles []bundle.Profile) ([]byte, error) {
	names := profileNames(profiles)
	data, err := schema.JSON(names[0], names[1:]...)
	return append(data, '\n'), err
}

// runSchema writes the JSON Schemas of validate, for editors of plugin.json and slipway.yaml.
func runSchema(w io.Writer, o schemaOptions) error {
	if o.Dir == "" {
		o.Dir = cmp.Or(Around(), ".")
	}
	if known := []string{"plugin", "config"}; o.What != "" && !slices.Contains(known, o.What) {
		return &ExitError{Code: ExitUsage, Err: nearest.Unknown("schema", o.What, known)}
	}
	if err := checkProfile(o.Face, o.Profile); err != nil {
		return err
	}
	profiles, err := schemaProfiles(o)
	if err != nil {
		return err
	}
	plugin, err := pluginSchema(profiles)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		what, name, of string
		data           []byte
	}{
		{"plugin", "plugin.schema.json", "plugin.json (profile " + strings.Join(profileNames(profiles), " and ") + ")", plugin},
		{"config", "slipway.schema.json", config.FileName, config.Schema()},
	} {
		if o.What != "" && o.What != s.what {
			continue
		}
		file := filepath.Join(o.Dir, s.name)
		err = writeTo(nil, file, func(w io.Writer, _ bool) error {
			_, err := w.Write(s.data)
			return err
		})
		if err != nil {
			return fmt.Errorf("%w; choose a writable directory with %s", err, o.Face.Option("dir"))
		}
		fmt.Fprintf(w, "wrote %s, the schema of %s\n", shortPath(file), s.of)
	}
	return nil
}

// schemaProfiles returns the requested profile, or else those of the plugin.json in Dir.
func schemaProfiles(o schemaOptions) ([]bundle.Profile, error) {
	for _, name := range []string{"src/plugin.json", "plugin.json"} {
		data, err := limit.ReadSettings(filepath.Join(o.Dir, filepath.FromSlash(name)))
		if err != nil || o.Profile != "" {
			continue
		}
		doc, _ := bundle.ParseDocument(name, data)
		if doc == nil {
			continue
		}
		isFor := func(p bundle.Profile) bool { return doc.Has("/dependencies/" + p.DependencyKey) }
		if all := bundle.Profiles(); !slices.ContainsFunc(all, func(p bundle.Profile) bool { return !isFor(p) }) {
			return all, nil
		}
		if p, ok := bundle.DetectProfile(doc); ok {
			return []bundle.Profile{p}, nil
		}
	}
	p, err := bundle.ProfileByName(o.Profile)
	return []bundle.Profile{p}, err
}

func profileNames(profiles []bundle.Profile) (names []string) {
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	return names
}
