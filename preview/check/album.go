package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/preview"
)

// album is what the repository keeps of pictures.
type album struct {
	names []string // of the picture of each view
	files []string // that are there, slash-separated and relative to the directory
	dirs  []string // of each side: "" or a version
}

// isVersion matches the directory of a version in that of the pictures.
var isVersion = regexp.MustCompile(`^\d+\.\d+$`)

func (o Options) openAlbum() (*album, error) {
	a := &album{names: fileNames(o.Views)}
	err := filepath.WalkDir(o.Pictures, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && path.Ext(file) == ".png" {
			name, relErr := filepath.Rel(o.Pictures, file)
			a.files, err = append(a.files, filepath.ToSlash(name)), relErr
		}
		return err
	})
	for _, side := range o.Sides {
		dir := side.With
		if _, statErr := os.Stat(filepath.Join(o.Pictures, o.Version)); dir == "" && statErr == nil && o.Version != "" {
			dir = o.Version // of which a check of several versions has kept pictures
		}
		a.dirs = append(a.dirs, dir)
	}
	return a, err
}

// fileNames returns a name for the picture of each view that all systems accept.
func fileNames(views []preview.View) (names []string) {
	seen := map[string]int{}
	for _, view := range views {
		name := fileName(view.Name)
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf("-%d", seen[name])
		}
		names = append(names, name+".png")
	}
	return names
}

func fileName(view string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return ' '
	}, strings.ToLower(view))
	clean = strings.Join(strings.Fields(clean), "-")
	return clean[:min(len(clean), 100)]
}

// keep puts the picture into the report, and compares it with the one that the repository keeps.
func (o Options) keep(r *Result, a *album, name string, picture []byte) error {
	if picture == nil {
		return nil
	}
	if err := r.show(o.Out, path.Join(r.With, name), picture); err != nil {
		return err
	}
	side := slices.IndexFunc(o.Sides, func(s preview.Side) bool { return s.With == r.With })
	name = path.Join(a.dirs[side], name)
	file := filepath.Join(o.Pictures, filepath.FromSlash(name))
	kept, err := os.ReadFile(file)
	if o.Update {
		if difference, _, err := compare(kept, picture); err == nil && difference <= tolerance {
			return nil // of two that look the same, the older one
		}
		return writeFile(filepath.Dir(o.Pictures), filepath.Join(filepath.Base(o.Pictures), name), picture)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		said := fmt.Sprintf("new: %s has no picture of this view; the option update keeps it", filepath.Base(o.Pictures))
		if r.IsNew = true; o.Strict {
			r.Problems = append(r.Problems, said)
		} else if len(a.files) > 0 {
			r.Notes = append(r.Notes, said)
		}
		return nil
	case err != nil:
		return err
	}
	return r.contrast(o.Out, name, kept, picture, filepath.Base(o.Pictures)+"/"+name)
}

// show puts the picture into the report.
func (r *Result) show(out, name string, picture []byte) error {
	r.Picture = path.Join(picturesDir, r.With, path.Base(name))
	return writeFile(out, r.Picture, picture)
}

// contrast compares the picture with another one, and puts that into the report.
func (r *Result) contrast(out, name string, other, picture []byte, what string) error {
	r.Kept = "kept/" + name
	if err := writeFile(out, r.Kept, other); err != nil {
		return err
	}
	difference, marked, err := compare(other, picture)
	if err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", what, err))
		return nil
	}
	if difference <= tolerance {
		return nil
	}
	r.Problems = append(r.Problems, fmt.Sprintf("%.1f%% of what is drawn differs from %s", 100*difference, what))
	var text bytes.Buffer
	if err := png.Encode(&text, marked); err != nil {
		return err
	}
	r.Marked = "marked/" + name
	return writeFile(out, r.Marked, text.Bytes())
}

// unclaimed returns a result for each kept picture that no view has: a story was lost, or has another name. With Update,
// such pictures are removed. If there are pictures, and no view was compared with one, that is a result as well.
func (o Options) unclaimed(a *album) (list []Result, err error) {
	isKnown := func(file string) bool { return slices.Contains(a.names, path.Base(file)) }
	isCompared := make([]bool, len(o.Sides))
	for _, file := range a.files {
		dir, name := path.Split(file)
		dir = strings.TrimSuffix(dir, "/")
		for i, own := range a.dirs {
			isCompared[i] = isCompared[i] || isKnown(name) && dir == own
		}
		if isKnown(name) && (dir == "" || isVersion.MatchString(dir)) {
			continue
		}
		r := Result{View: preview.View{Name: filepath.Base(o.Pictures) + "/" + file}, Problems: []string{}, Notes: []string{}}
		if o.Update && o.Only == "" {
			r.Notes = append(r.Notes, "removed: no view has this picture")
			if err := removeFile(o.Pictures, file); err != nil {
				return nil, err
			}
		} else if !o.Update {
			r.Problems = append(r.Problems, "no view has this picture: the saved panel was lost or renamed; restore it, or delete the picture")
		}
		list = append(list, r)
	}
	for i, is := range isCompared {
		if !is && slices.ContainsFunc(a.files, isKnown) && !o.Update {
			said := fmt.Sprintf("%s has no picture of version %s: nothing was compared", filepath.Base(o.Pictures), cmp.Or(o.Sides[i].With, o.Version))
			list = append(list, Result{View: preview.View{Name: filepath.Base(o.Pictures)}, With: o.Sides[i].With, Notes: []string{},
				Problems: []string{said}})
		}
	}
	return list, nil
}

// writeFile writes a file of a directory, and refuses a symbolic link on the way to it.
func writeFile(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.WriteIn(root, name, 0o644, data)
}

func removeFile(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(name)
}
