package bundlerconfig

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// Copy is a pattern of CopyWebpackPlugin.
type Copy struct {
	What       string   `json:"what"`    // a word of the pattern
	From       string   `json:"from"`    // a file, a directory or a glob, absolute
	Context    string   `json:"context"` // of a glob, absolute
	To         string   `json:"to"`
	ToType     string   `json:"toType"` // dir, file, template or ""
	IsOptional bool     `json:"isOptional"`
	Dot        *bool    `json:"dot"` // match names that begin with a dot
	Ignore     []string `json:"ignore"`
}

// Files returns the absolute paths of the files that are copied, by their paths in dist. located returns where a path is:
// packages may be outside of the repository.
func (c Copy) Files(located func(file string) (string, error)) (map[string]string, error) {
	from, err := located(filepath.FromSlash(c.From))
	if err != nil {
		return nil, err
	}
	context, pattern := from, "**/*"
	info, err := os.Stat(from)
	isDot := err == nil && info.IsDir()
	switch {
	case err != nil:
		if context, err = located(filepath.FromSlash(c.Context)); err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(filepath.FromSlash(c.Context), filepath.FromSlash(c.From))
		if err != nil {
			return nil, err
		}
		pattern = filepath.ToSlash(rel)
	case !info.IsDir():
		return map[string]string{c.output(filepath.Base(from)): from}, nil
	}
	if c.Dot != nil {
		isDot = *c.Dot
	}
	found, err := glob(context, pattern, isDot, false)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	var ignored []string
	for _, pattern := range c.Ignore {
		list, err := patterns(strings.TrimPrefix(pattern, filepath.ToSlash(context)+"/"))
		if err != nil {
			return nil, err
		}
		ignored = append(ignored, list...)
	}
	for _, rel := range found {
		if !slices.ContainsFunc(ignored, func(pattern string) bool { return validate.MatchFile(pattern, rel) }) {
			files[c.output(rel)] = filepath.Join(context, filepath.FromSlash(rel))
		}
	}
	if len(files) == 0 && !c.IsOptional {
		return nil, fmt.Errorf("no file matches %s, which the configuration of the bundler copies", path.Base(c.From))
	}
	return files, nil
}

// output returns the path in dist of a file, given by its path from what is copied.
func (c Copy) output(rel string) string {
	kind := c.ToType
	switch {
	case kind != "":
	case strings.Contains(c.To, "["):
		kind = "template"
	case path.Ext(path.Clean(c.To)) == "" || path.Base(c.To) == "." || path.Base(c.To) == ".." || strings.HasSuffix(c.To, "/"):
		kind = "dir"
	}
	switch kind {
	case "dir":
		return path.Join(c.To, rel)
	case "template":
		extension := path.Ext(rel)
		return path.Clean(strings.NewReplacer("[path][name]", strings.TrimSuffix(rel, extension), "[path]", path.Dir(rel)+"/",
			"[name]", strings.TrimSuffix(path.Base(rel), extension), "[ext]", extension, "[base]", path.Base(rel)).Replace(c.To))
	}
	return path.Clean(c.To)
}
