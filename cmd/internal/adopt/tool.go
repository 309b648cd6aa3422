package adopt

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/version"
)

// Targets is the module of the targets, the only one of Slipway's that init requires.
const Targets = version.Module + "/targets"

const (
	tool      = Targets + "/cmd/slipway"
	workflows = Targets + "/workflow"
	mage      = "github.com/magefile/mage"

	newMage    = "v1.17.2" // for a repository without Mage
	oldestMage = "v1.17.0" // the first with options
	oldestGo   = "1.24"    // the first with tools in go.mod
)

// addTool adds the tools to go.mod, and the import of the targets if Mage is there or can be added.
func (p *Plan) addTool(ctx context.Context, o Options) error {
	found, err := findMagefiles(p.Dir)
	if err != nil {
		return err
	}
	m, err := p.openModule()
	if err != nil {
		return err
	}
	if m.before == nil && len(found.files) > 0 {
		return request("%s has a magefile but no go.mod; run go mod init first", p.Dir)
	}
	work, err := os.MkdirTemp("", "slipway-init-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := m.require(ctx, work, o); err != nil {
		return err
	}
	p.OldMage, p.OldGo = m.oldMage, m.oldGo
	if m.oldMage == "" {
		if err := p.addMagefile(ctx, found, m); err != nil {
			return err
		}
	}
	if err := p.change(filepath.Join(m.dir, "go.mod"), m.before, m.after); err != nil || m.sumAfter == nil {
		return err
	}
	return p.change(filepath.Join(m.dir, "go.sum"), m.sumBefore, m.sumAfter)
}

// goModule is the Go module of a plugin, and how it changes.
type goModule struct {
	dir                 string // of go.mod
	before, after       []byte // go.mod; before is nil if there is none
	sumBefore, sumAfter []byte // go.sum; nil if there is none
	workFile            string // copy of go.mod with the changes
	oldMage, oldGo      string // see Plan
	id                  string // of the plugin
}

// openModule reads the nearest go.mod between the plugin and the top of its repository.
func (p *Plan) openModule() (*goModule, error) {
	m := &goModule{dir: p.Dir}
	for at := p.Dir; ; at = filepath.Dir(at) {
		data, err := readRegular(filepath.Join(at, "go.mod"))
		if err == nil {
			m.dir, m.before = at, data
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if at == p.Root {
			break
		}
	}
	if _, err := os.Stat(filepath.Join(m.dir, "vendor", "modules.txt")); err == nil {
		return nil, request("%s has a vendor directory, which would no longer match go.mod; add Slipway with the go command, as described "+
			"in doc/adopting.md", m.dir)
	}
	var err error
	if m.sumBefore, err = readRegular(filepath.Join(m.dir, "go.sum")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m.id, err = pluginID(p.Dir)
	return m, err
}

// readRegular reads a file that is about to be replaced, which a symbolic link must not be.
func readRegular(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, request("%s is not a regular file", name)
	}
	return os.ReadFile(name) // not nil, even of an empty one
}

var notInModulePath = regexp.MustCompile(`[^a-z0-9-]+`)

// pluginID returns the id of the plugin in a form that is a valid module path.
func pluginID(dir string) (string, error) {
	repo, err := bundle.OpenRepo(dir)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(repo.Source, bundle.MetadataFile))
	if err != nil {
		return "", err
	}
	id := ""
	if meta, err := bundle.ParseMetadata(data); err == nil {
		id = strings.Trim(notInModulePath.ReplaceAllString(strings.ToLower(meta.ID), "-"), "-")
	}
	return cmp.Or(id, "plugin"), nil
}

// require adds the tools to copies of go.mod and go.sum in the directory work. It raises no
// requirement: the module of the targets requires only Mage, in a version that is older than any.
func (m *goModule) require(ctx context.Context, work string, o Options) error {
	start := m.before
	if start == nil { // node_modules can contain Go files
		start = fmt.Appendf(nil, "module %s\n\ngo 1.25\n\nignore ./node_modules\n", m.id)
	}
	f, err := modfile.Parse("go.mod", start, nil)
	if err != nil {
		return &RequestError{err}
	}
	m.workFile, m.sumAfter = filepath.Join(work, "go.mod"), m.sumBefore
	if f.Go == nil || goversion.Compare(goversion.Lang("go"+f.Go.Version), "go"+oldestGo) < 0 {
		if f, err = m.raiseGo(ctx, f, o); err != nil {
			return err
		}
	}
	sums := [][2]string{{Targets, cmp.Or(o.Slipway.Version, "v0.0.0")}}
	has := required(f, mage)
	if v, err := semver.NewVersion(has); err == nil && v.LessThan(semver.MustParse(oldestMage)) {
		m.oldMage = has
	} else {
		sums = append(sums, [2]string{mage, cmp.Or(has, newMage)})
		if err := f.AddTool(mage); err != nil {
			return err
		}
	}
	if err := f.AddTool(tool); err != nil {
		return err
	}
	list := slices.Clone(f.Require)
	for _, s := range sums {
		if at := required(f, s[0]); at != "" {
			s[1] = at
		} else { // a magefile imports the targets, and no package imports Mage
			list = append(list, &modfile.Require{Mod: module.Version{Path: s[0], Version: s[1]}, Indirect: s[0] == mage || m.oldMage != ""})
		}
		if s[0] == Targets && o.Slipway.Checkout != "" {
			continue
		}
		if err := m.addSums(ctx, s[0], s[1]); err != nil {
			return fmt.Errorf("add Slipway to go.mod: %w\nnothing was changed", err)
		}
	}
	f.SetRequireSeparateIndirect(list)
	if o.Slipway.Checkout != "" {
		if err := f.AddReplace(Targets, "", filepath.Join(o.Slipway.Checkout, "targets"), ""); err != nil {
			return err
		}
	}
	f.SortBlocks()
	f.Cleanup()
	if m.after, err = f.Format(); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(m.workFile, m.after, 0o644), os.WriteFile(filepath.Join(work, "go.sum"), m.sumAfter, 0o644))
}

// required returns the version that go.mod requires of a module, or "".
func required(f *modfile.File, path string) string {
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	return ""
}

// raiseGo returns go.mod with the oldest version of Go that knows tools. Since Go 1.17, go.mod lists
// indirect requirements, so the go command must tidy it; it keeps the versions.
func (m *goModule) raiseGo(ctx context.Context, f *modfile.File, o Options) (*modfile.File, error) {
	m.oldGo = "1.16" // without a directive
	if f.Go != nil {
		m.oldGo = f.Go.Version
	}
	if err := f.AddGoStmt(oldestGo); err != nil {
		return nil, err
	}
	text, err := f.Format()
	if err != nil {
		return nil, err
	}
	sums := filepath.Join(filepath.Dir(m.workFile), "go.sum")
	if err := errors.Join(os.WriteFile(m.workFile, text, 0o644), os.WriteFile(sums, m.sumBefore, 0o644)); err != nil {
		return nil, err
	}
	if o.Step != nil {
		o.Step("resolving modules")
	}
	if _, err := process.Output(m.command(ctx, "-mod=mod", "mod", "tidy")); err != nil {
		return nil, fmt.Errorf("raise go.mod to go %s, the first version with tools: %w\nnothing was changed", oldestGo, err)
	}
	if text, err = os.ReadFile(m.workFile); err != nil {
		return nil, err
	}
	if m.sumAfter, err = os.ReadFile(sums); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return modfile.Parse("go.mod", text, nil)
}

// addSums adds the checksums of a module to go.sum, in the order of the go command.
func (m *goModule) addSums(ctx context.Context, path, version string) error {
	sums := map[module.Version]string{}
	for line := range strings.Lines(string(m.sumAfter)) {
		if fields := strings.Fields(line); len(fields) == 3 {
			sums[module.Version{Path: fields[0], Version: fields[1]}] = fields[2]
		}
	}
	if sums[module.Version{Path: path, Version: version}] != "" {
		return nil
	}
	lines, err := Sums(ctx, path, version)
	for _, line := range lines {
		fields := strings.Fields(line)
		sums[module.Version{Path: fields[0], Version: fields[1]}] = fields[2]
	}
	list := slices.Collect(maps.Keys(sums))
	module.Sort(list)
	m.sumAfter = nil
	for _, at := range list {
		m.sumAfter = fmt.Appendf(m.sumAfter, "%s %s %s\n", at.Path, at.Version, sums[at])
	}
	return err
}

// Sums returns the lines of go.sum for a module, which it downloads.
func Sums(ctx context.Context, path, version string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = os.TempDir() // outside any module
	out, err := process.Output(cmd)
	var sums struct{ Sum, GoModSum, Error string }
	if jsonErr := json.Unmarshal(out, &sums); err == nil {
		err = jsonErr
	}
	if sums.Error != "" {
		err = errors.New(sums.Error)
	}
	if err != nil {
		return nil, fmt.Errorf("download %s %s for its checksums: %w", path, version, err)
	}
	return []string{path + " " + version + " " + sums.Sum, path + " " + version + "/go.mod " + sums.GoModSum}, nil
}

// command returns a go command that uses the copies of go.mod and go.sum.
func (m *goModule) command(ctx context.Context, mod string, args ...string) *exec.Cmd {
	flags := strconv.Quote("-modfile="+m.workFile) + " " + mod
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = m.dir
	if m.before == nil { // a module root without go.mod
		cmd.Dir, flags = filepath.Dir(m.workFile), mod
	}
	cmd.Env = append(os.Environ(), "GOFLAGS="+flags, "GOWORK=off")
	return cmd
}
