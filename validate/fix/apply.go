package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// maxFileBytes limits the size of edited files.
const maxFileBytes = 4 << 20

// taken holds the edits of a round by file.
type taken map[string][]validate.Edit

// take adds the edits of a fix, all or none. ok is false if one overlaps another edit of
// the round or of the same fix.
func (t taken) take(edits []validate.Edit) (ok bool) {
	for i, e := range edits {
		isTaken := func(other validate.Edit) bool { return overlap(e, other) }
		inSame := func(other validate.Edit) bool { return other.File == e.File && overlap(e, other) }
		if slices.ContainsFunc(t[e.File], isTaken) || slices.ContainsFunc(edits[:i], inSame) {
			return false
		}
	}
	for _, e := range edits {
		t[e.File] = append(t[e.File], e)
	}
	return len(edits) > 0
}

// overlap reports whether the result of two edits of a file depends on their order.
func overlap(a, b validate.Edit) bool {
	switch {
	case a.MakeExecutable || b.MakeExecutable:
		return a.MakeExecutable && b.MakeExecutable
	case a.From == a.To:
		return b.From <= a.From && a.From <= b.To
	case b.From == b.To:
		return a.From <= b.From && b.From <= a.To
	}
	return a.From < b.To && b.From < a.To
}

func (w *work) apply(fixed []validate.Finding) (map[string]*Change, error) {
	edits := map[string][]validate.Edit{}
	titles := map[string][]string{}
	for _, f := range fixed {
		inFile := map[string]bool{}
		for _, e := range f.Fix.Edits {
			edits[e.File] = append(edits[e.File], e)
			if !inFile[e.File] {
				inFile[e.File] = true
				titles[e.File] = append(titles[e.File], f.Fix.Title)
			}
		}
	}
	next := map[string]*Change{}
	for file, list := range edits {
		c, err := w.current(file)
		if err != nil {
			return nil, err
		}
		before := c.After
		if err := c.edit(list); err != nil {
			return nil, err
		}
		if path.Ext(file) == ".json" || slices.Contains(w.jsonFiles, file) {
			if err := staysJSON(before, c.After); err != nil {
				return nil, fmt.Errorf("%s would not be valid JSON: %w", file, err)
			}
		}
		c.Titles = append(c.Titles, titles[file]...)
		next[file] = c
	}
	return next, nil
}

// current returns a copy of the change of a file so far, which may be none.
func (w *work) current(file string) (*Change, error) {
	if c := w.tree.changes[file]; c != nil {
		again := *c
		again.Titles = slices.Clone(c.Titles)
		return &again, nil
	}
	f, err := w.tree.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes { // an executable, whose mode can be changed
		return &Change{File: file, isLarge: true}, nil
	}
	return &Change{File: file, Before: data, After: data}, nil
}

// edit applies edits that do not overlap.
func (c *Change) edit(edits []validate.Edit) error {
	slices.SortStableFunc(edits, func(a, b validate.Edit) int { return b.From - a.From })
	data := bytes.Clone(c.After)
	for _, e := range edits {
		if e.MakeExecutable {
			c.MakeExecutable = true
			continue
		}
		if c.isLarge {
			return fmt.Errorf("%s is larger than %d bytes", e.File, maxFileBytes)
		}
		if e.From < 0 || e.To < e.From || e.To > len(data) {
			return fmt.Errorf("it edits bytes %d to %d of %s, which has %d bytes", e.From, e.To, e.File, len(data))
		}
		data = slices.Concat(data[:e.From], []byte(e.Text), data[e.To:])
	}
	c.After = data
	return nil
}

func (c *Change) isOnlyMode() bool { return bytes.Equal(c.Before, c.After) }

func (c *Change) isNothing() bool { return !c.MakeExecutable && c.isOnlyMode() }

// staysJSON returns the syntax error if the text is no longer valid JSON.
func staysJSON(before, after []byte) error {
	wasReadable, errBefore := parse(before)
	isReadable, errAfter := parse(after)
	if wasReadable && !isReadable || errBefore == nil && errAfter != nil {
		return errAfter
	}
	return nil
}

func parse(data []byte) (isReadable bool, err error) {
	const byteOrderMark = "\xEF\xBB\xBF"
	doc, err := bundle.ParseDocument("result", bytes.TrimPrefix(data, []byte(byteOrderMark)))
	if errs, ok := errors.AsType[bundle.SyntaxErrors](err); ok {
		err = errs[0]
	}
	return doc != nil, err
}
