package validate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/internal/limit"
)

// maxFileBytes limits the size of a plugin.json. Real ones have a few thousand bytes.
const maxFileBytes = 256 << 10

type runner struct {
	fs      fs.FS
	opts    Options
	running map[string]bool
	plugins []string
	refused map[string][]refusal // by the root of the plugin
	files   map[string]*file     // by name
	tree    *treeFacts
}

// group checks a plugin and those nested in it, whose profile defaults to that of the
// outermost plugin.
func (r *runner) group(targets []target) Report {
	report := Report{Sources: map[string][]byte{}}
	outer := ""
	view, err := r.confine(targets[0].root, targets[0].where)
	if err != nil {
		view = fstest.MapFS{} // load has reported the error
	}
	defer Close(view)
	for _, t := range targets {
		p := &Pass{
			FS: view, File: t.file, Dir: t.dir, Root: t.root, Where: t.where, IsMissing: t.isMissing,
			Setting: Setting{IsCatalog: r.opts.IsCatalog, IsNested: t.dir != t.root},
			Signers: r.opts.Signers, Repository: r.opts.Source, RootName: r.opts.RootName, Plugins: r.plugins,
			run: r, facts: map[any]fact{}, report: &report,
		}
		if r.opts.IsAlone {
			p.touched = new(atomic.Bool)
			p.FS = watched{FS: view, only: t.file, isTouched: p.touched}
		}
		f := r.files[t.file]
		p.Data, p.Doc, p.Syntax = f.data, f.doc, f.syntax
		p.Profile = r.profile(p, outer)
		outer = cmp.Or(outer, p.Profile.Name)
		if r.opts.Profile == "" && p.Doc != nil {
			report.Profiles = append(report.Profiles, p.Profile.Name)
		}
		if !t.isMissing {
			report.Plugins++
			report.Files = append(report.Files, t.file)
			if p.Doc != nil && t.where == Source && !t.isLink {
				id, _ := p.Doc.Text("/id")
				report.Sourced = append(report.Sourced, Named{ID: id, File: t.file})
			}
		}
		before := len(report.Findings)
		if f.block.refused != nil {
			p.Refuse(t.file, f.block.refused)
		}
		for _, rule := range r.opts.Rules {
			if rule.Where.Has(p.Where) && !rule.OfArchive {
				skips := check(p, rule, f.block) // which may add to the report
				report.Skips = append(report.Skips, skips...)
			}
		}
		if p.isFull {
			report.Skips = append(report.Skips, Skip{File: p.File, IsBroken: true,
				Reason: fmt.Sprintf("too many findings: only %d are listed; fix those and run again", len(report.Findings)-before)})
		}
		if t.dir == t.root { // after the rules, which know what they need
			for _, link := range r.refused[t.root] {
				p.refuse(link)
			}
		}
		report.Findings = append(report.Findings[:before], p.withoutNamed(report.Findings[before:])...)
		r.finish(report.Findings[before:])
		if len(report.Findings) > before {
			report.Sources[p.File] = p.Data
		}
	}
	return report
}

func (r *runner) archive(a *zipfs.Archive) Report {
	report := Report{Sources: map[string][]byte{}}
	p := &Pass{
		FS: r.fs, File: ".", Dir: ".", Root: ".", Where: Zip, Archive: a, run: r, facts: map[any]fact{}, report: &report,
	}
	p.Profile, p.IsCatalog = r.profile(p, ""), r.opts.IsCatalog
	for _, rule := range r.opts.Rules {
		if rule.OfArchive {
			skips := check(p, rule, block{}) // which may add to the report
			report.Skips = append(report.Skips, skips...)
		}
	}
	r.finish(report.Findings)
	if a.Refusal != "" {
		isReported := slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Severity == Error })
		report.Skips = append(report.Skips, Skip{File: ".", Reason: "the zip was not read: " + a.Refusal, IsBroken: !isReported})
	}
	return report
}

// finish sets the configured severities.
func (r *runner) finish(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		if s, ok := r.opts.Severities[f.Rule]; ok {
			f.Severity = s
		}
		if r.opts.IsStrict && f.Severity == Warning {
			f.Severity = Error
		}
	}
}

// block is the reason why rules cannot run on a plugin. The zero block means that they
// can.
type block struct {
	reason   string
	isBroken bool  // even raw rules cannot run
	refused  error // a finding reports it: see Pass.Refuse
}

type file struct {
	data   []byte
	doc    *bundle.Document
	syntax bundle.SyntaxErrors
	block  block
	where  Where
	isLink bool
}

func (r *runner) load(t target) *file {
	f := &file{where: t.where, isLink: t.isLink}
	view, err := r.confine(t.root, t.where)
	if err != nil {
		f.block = unread(err)
		return f
	}
	defer Close(view)
	f.block = f.read(view, t)
	return f
}

// unread returns the block for a plugin.json that cannot be opened: for the author to correct, or because the disk fails.
func unread(err error) block {
	b := block{reason: "plugin.json is not read: " + strings.TrimPrefix(tree.Cause(err).Error(), "not read: ")}
	for _, known := range []error{tree.ErrOutside, tree.ErrIrregular, fs.ErrPermission, fs.ErrNotExist, syscall.EISDIR} {
		if errors.Is(err, known) {
			b.refused = err
			return b
		}
	}
	b.isBroken = true
	return b
}

// confine returns the tree with the boundary of a plugin. Trees without links have none.
func (r *runner) confine(root string, where Where) (fs.FS, error) {
	if c, ok := r.fs.(Confiner); ok {
		return c.Confine(root, where != Source)
	}
	return tree.New(r.fs).Keep(), nil
}

// Confiner is a tree that can be narrowed to one plugin, such as a *tree.Tree. Run reads
// each plugin through the tree that Confine returns, and closes it if it is an io.Closer.
type Confiner interface {
	// Confine returns the same tree, in which no symbolic link leads out of the plugin in
	// dir if it is built, or else out of the repository around it.
	Confine(dir string, isBuilt bool) (fs.FS, error)
}

// Close closes a tree that Open, OpenReader or Confine returned.
func Close(fsys fs.FS) {
	if c, ok := fsys.(io.Closer); ok {
		_ = c.Close() // opened for reading only
	}
}

func (f *file) read(fsys fs.FS, t target) (b block) {
	if t.isMissing {
		return block{reason: "plugin.json is missing"}
	}
	defer func() {
		if v := recover(); v != nil {
			b = block{reason: fmt.Sprintf("panic while reading: %v (please report this)", v), isBroken: true}
		}
	}()
	in, err := fsys.Open(t.file)
	if err != nil {
		return unread(err)
	}
	defer in.Close()
	data, err := limit.ReadAll(in, maxFileBytes)
	if _, ok := errors.AsType[*limit.TooLargeError](err); ok {
		return block{reason: fmt.Sprintf("plugin.json is %v", err), isBroken: true}
	}
	if err != nil { // it is a directory, or the disk fails
		return unread(err)
	}
	f.data = data
	if Encoding(data) != "" {
		return block{reason: "plugin.json is not UTF-8"}
	}
	f.doc, err = bundle.ParseDocument(t.file, bytes.TrimPrefix(data, utf8BOM()))
	if err != nil && !errors.As(err, &f.syntax) {
		return block{reason: err.Error(), isBroken: true}
	}
	if f.doc == nil {
		return block{reason: "plugin.json is not valid JSON"}
	}
	return block{}
}

// Encoding returns the UTF-16 or UTF-32 encoding of data, or "". It recognizes the byte
// order mark, and that JSON starts with an ASCII character.
func Encoding(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF")), len(data) >= 4 && string(data[:3]) == "\x00\x00\x00" && data[3] != 0:
		return "UTF-32, big-endian"
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")), len(data) >= 4 && data[0] != 0 && string(data[1:4]) == "\x00\x00\x00":
		return "UTF-32, little-endian"
	case len(data) < 2:
		return ""
	case data[0] == 0xFE && data[1] == 0xFF, data[0] == 0 && data[1] != 0:
		return "UTF-16, big-endian"
	case data[0] == 0xFF && data[1] == 0xFE, data[0] != 0 && data[1] == 0:
		return "UTF-16, little-endian"
	}
	return ""
}

func utf8BOM() []byte { return []byte{0xEF, 0xBB, 0xBF} }

// profile returns the profile of the options, or that of the catalog, or that of the document, or that of
// the outer plugin, or else that of the files around plugin.json.
func (r *runner) profile(p *Pass, outer string) bundle.Profile {
	if r.opts.Profile == "" && r.opts.IsCatalog {
		return bundle.Published()
	}
	if r.opts.Profile == "" && p.Doc != nil {
		if profile, ok := bundle.DetectProfile(p.Doc); ok {
			return profile
		}
	}
	name := cmp.Or(r.opts.Profile, outer)
	if name == "" && isPublished(r.fs, p.Dir) {
		return bundle.Published()
	}
	profile, _ := bundle.ProfileByName(name) // Run has checked the name
	return profile
}

// isPublished reports whether the plugin in dir is for existing hosts: one has signed it, or
// its package.json, which may be next to src, names packages of theirs.
func isPublished(fsys fs.FS, dir string) bool {
	if _, err := fs.Stat(fsys, path.Join(dir, "MANIFEST.txt")); err == nil {
		return true
	}
	homes := []string{dir}
	if base := path.Base(dir); base == sourceDir || base == bundle.DistDir {
		homes = append(homes, path.Dir(dir))
	}
	return slices.ContainsFunc(homes, func(home string) bool {
		f, err := fsys.Open(path.Join(home, "package.json"))
		if err != nil {
			return false
		}
		defer f.Close()
		data, err := limit.ReadAll(f, maxFileBytes)
		return err == nil && bytes.Contains(data, []byte(`"@grafana/`))
	})
}

// check runs a rule, or returns why it did not run.
func check(p *Pass, rule Rule, b block) (skips []Skip) {
	skip := func(reason string, isBroken bool) {
		skips = append(skips, Skip{Rule: rule.ID, File: p.File, Reason: reason, IsBroken: isBroken})
	}
	if b.isBroken || b.refused != nil || b.reason != "" && !rule.IsRaw {
		skip(b.reason, b.isBroken)
		return skips
	}
	if rule.OfOutermost && p.IsNested {
		return nil
	}
	p.rule = rule
	findings, skipped := len(p.report.Findings), len(p.report.Skips)
	if p.touched != nil {
		p.touched.Store(false)
	}
	func() {
		defer func() {
			if v := recover(); v != nil && v != errFull {
				skip(fmt.Sprintf("panic in the rule: %v (please report this)", v), true)
			}
		}()
		rule.Check(p)
	}()
	if p.touched != nil && p.touched.Load() { // its results depend on missing files
		p.report.Findings, p.report.Skips = p.report.Findings[:findings], p.report.Skips[:skipped]
		skip("files other than plugin.json are required", false)
	}
	return skips
}

// watched is a tree that records when a rule opens any file except one.
type watched struct {
	fs.FS
	only      string
	isTouched *atomic.Bool
}

// Open opens a file.
func (w watched) Open(name string) (fs.File, error) {
	if name != w.only {
		w.isTouched.Store(true)
	}
	return w.FS.Open(name)
}
