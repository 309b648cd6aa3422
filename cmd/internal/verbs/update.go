package verbs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/version"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate/fix"
)

type updateOptions struct {
	Dir    string // the plugin repository; "" is the current directory
	DryRun bool   // print a diff and change nothing
}

// runUpdate merges what has changed in the templates since the scaffold or its last update into the files that follow
// Slipway, and writes the id of plugin.json to files with a former one. Conflicts, which it marks, are ExitFindings.
func runUpdate(ctx context.Context, w io.Writer, o updateOptions) error {
	if o.Dir == "" {
		o.Dir = cmp.Or(Around(), ".")
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("scaffold update: %w", err)}
	}
	defer root.Close()
	was, err := adopt.ReadScaffold(root)
	if errors.Is(err, adopt.ErrNoScaffold) {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("scaffold update: %w", err)}
	}
	if err != nil {
		return fmt.Errorf("scaffold update: %w", err)
	}
	now, renamed, err := renderAgain(root, was)
	if err != nil {
		return fmt.Errorf("scaffold update: %w", err)
	}
	merges, err := adopt.MergeAll(ctx, root, was.Files, now.Files)
	if err != nil {
		return fmt.Errorf("scaffold update: %w", err)
	}
	merges = append(merges, renamed...)
	if o.DryRun {
		_, err := w.Write(diffMerges(merges))
		return err
	}
	if err := adopt.WriteMerges(root, merges, now); err != nil {
		return fmt.Errorf("scaffold update: %w", err)
	}
	return printMerges(w, merges)
}

// renderAgain renders the scaffold with the templates of this version and the id that the plugin has now. If the
// scaffold had another one, it returns the changes of the files that do not follow Slipway as well.
func renderAgain(root *os.Root, was adopt.Scaffold) (now adopt.Scaffold, renamed []adopt.Merge, err error) {
	var o templates.Options
	if err := json.Unmarshal(was.Options, &o); err != nil {
		return now, nil, fmt.Errorf("read %s: %w", adopt.ScaffoldRecord, err)
	}
	from, err := version.Find()
	if err != nil {
		return now, nil, err
	}
	o.Slipway, o.Today = templates.Module{Checkout: from.Checkout, Version: from.Version}, time.Now()
	profile, err := templates.CheckProfile(o.Profile)
	if err != nil {
		return now, nil, err
	}
	if o.Schema, err = pluginSchema(profile.Keys); err != nil {
		return now, nil, err
	}
	former := o.ID
	data, err := root.ReadFile("src/" + bundle.MetadataFile)
	if err != nil {
		return now, nil, err
	}
	metadata, err := bundle.ParseMetadata(data)
	if err != nil {
		return now, nil, fmt.Errorf("src/%s: %w", bundle.MetadataFile, err)
	}
	if o.ID = metadata.ID; o.ID != former {
		if renamed, err = renameIn(root, o, former); err != nil {
			return now, nil, err
		}
	}
	now, err = scaffoldOf(o)
	return now, renamed, err
}

// renameIn returns the changes of the files that a scaffold writes once, if they have a former id of the plugin. The
// path of the Go module stays: imports have it, and it need not be the id.
func renameIn(root *os.Root, o templates.Options, former string) (changes []adopt.Merge, err error) {
	files, err := templates.Render(o)
	if err != nil {
		return nil, err
	}
	word := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(former) + `($|[^\w-])`)
	for _, f := range files {
		before, err := root.ReadFile(filepath.FromSlash(f.Path))
		if f.Owned || slices.Contains([]string{"go.mod", "CHANGELOG.md"}, f.Path) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if after := word.ReplaceAll(before, []byte("${1}"+o.ID+"${2}")); !bytes.Equal(before, after) {
			changes = append(changes, adopt.Merge{Path: f.Path, Status: adopt.Updated, Before: before, After: after})
		}
	}
	return changes, nil
}

// scaffoldOf renders a scaffold for its record.
func scaffoldOf(o templates.Options) (s adopt.Scaffold, err error) {
	files, err := templates.Render(o)
	if err != nil {
		return s, err
	}
	s.Files = map[string]string{}
	for _, f := range files {
		if f.Owned {
			s.Files[f.Path] = string(f.Data)
		}
	}
	o.Dir, o.Force, o.Slipway, o.Schema, o.Today = "", false, templates.Module{}, nil, time.Time{}
	s.Options, err = json.Marshal(o)
	return s, err
}

// recordScaffold writes the record of a scaffold, for Update, to the repository.
func recordScaffold(dir string, o templates.Options) error {
	s, err := scaffoldOf(o)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return adopt.WriteScaffold(root, s)
}

func diffMerges(merges []adopt.Merge) []byte {
	var changes []fix.Change
	for _, m := range merges {
		if m.After != nil {
			changes = append(changes, fix.Change{File: m.Path, Before: m.Before, After: m.After})
		}
	}
	return fix.Diff(changes, "")
}

// printMerges lists the files, and returns an error if there are conflicts.
func printMerges(w io.Writer, merges []adopt.Merge) error {
	var conflicts []string
	for _, m := range merges {
		note := ""
		switch m.Status {
		case adopt.Obsolete:
			note = " (no longer part of the scaffold; remove it if you do not need it)"
		case adopt.Removed:
			note = " (stays removed)"
		case adopt.Conflicted:
			conflicts = append(conflicts, m.Path)
		}
		fmt.Fprintf(w, "  %-9s  %s%s\n", m.Status, m.Path, note)
	}
	if len(conflicts) == 0 {
		return nil
	}
	return &ExitError{Code: ExitFindings, Err: fmt.Errorf("resolve the conflicts in %s, which are marked with <<<<<<< and >>>>>>>",
		strings.Join(conflicts, ", "))}
}
