package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/process"
)

const (
	mage      = "github.com/magefile/mage"
	targets   = origin.Module + "/targets"
	workflows = targets + "/workflow"
)

// addTool adds Mage and Slipway to go.mod, and the import of the targets.
func (p *Plan) addTool(ctx context.Context, o Options) error {
	found, err := findMagefiles(p.Dir)
	if err != nil {
		return err
	}
	m, err := p.openModule(ctx)
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
	if err := p.addMagefile(ctx, found, m); err != nil {
		return err
	}
	if err := p.change(filepath.Join(m.dir, "go.mod"), m.before, m.after); err != nil {
		return err
	}
	p.Raised = m.raised
	if m.sumAfter == nil {
		return nil
	}
	return p.change(filepath.Join(m.dir, "go.sum"), m.sumBefore, m.sumAfter)
}

// module is the Go module of a plugin, and how it changes.
type module struct {
	dir                 string // of go.mod
	before, after       []byte // go.mod; before is nil if there is none
	sumBefore, sumAfter []byte
	workFile            string // copy of go.mod with the changes, or "" if there are none
	raised              []string
	id                  string // of the plugin
}

// openModule reads the nearest go.mod between the plugin and the top of its repository.
func (p *Plan) openModule(ctx context.Context) (*module, error) {
	m := &module{dir: p.Dir}
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
		return nil, request("%s has a vendor directory, which would no longer match go.mod; add Slipway with the go command, as described in doc/adopting.md", m.dir)
	}
	var err error
	if m.sumBefore, err = readRegular(filepath.Join(m.dir, "go.sum")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m.id, err = pluginID(p.Dir)
	return m, err
}

// readRegular reads a file that is about to be replaced. It refuses symbolic links, which
// would be replaced by a file.
func readRegular(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, request("%s is not a regular file", name)
	}
	data, err := os.ReadFile(name)
	if data == nil {
		data = []byte{}
	}
	return data, err
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
	if id == "" {
		id = "plugin"
	}
	return id, nil
}

// goMod is what "go mod edit -json" prints.
type goMod struct {
	Module  struct{ Path string }
	Tool    []struct{ Path string }
	Require []struct {
		Path, Version string
		Indirect      bool
	}
}

// editMod runs "go mod edit" on a file.
func editMod(ctx context.Context, file string, args ...string) ([]byte, error) {
	return process.Output(exec.CommandContext(ctx, "go", append(append([]string{"mod", "edit"}, args...), file)...))
}

func parseMod(ctx context.Context, file string) (mod goMod, err error) {
	out, err := editMod(ctx, file, "-json")
	if err == nil {
		err = json.Unmarshal(out, &mod)
	}
	return mod, err
}

// isComplete reports whether go.mod has the tool and requires Slipway.
func (mod *goMod) isComplete() bool {
	hasTool, hasSlipway := false, mod.Module.Path == origin.Module
	for _, t := range mod.Tool {
		hasTool = hasTool || t.Path == mage
	}
	for _, r := range mod.Require {
		hasSlipway = hasSlipway || r.Path == origin.Module
	}
	return hasTool && hasSlipway
}

// require adds the tool and the requirements of the targets to copies of go.mod and
// go.sum in the directory work. It downloads modules that are not in the module cache.
func (m *module) require(ctx context.Context, work string, o Options) error {
	file := filepath.Join(work, "go.mod")
	start := m.before
	if start == nil { // node_modules can contain Go files
		start = fmt.Appendf(nil, "module %s\n\ngo 1.25\n\nignore ./node_modules\n", m.id)
	}
	if err := os.WriteFile(file, start, 0o644); err != nil {
		return err
	}
	before, err := parseMod(ctx, file)
	if err != nil {
		return &RequestError{err}
	}
	if m.before != nil && before.isComplete() {
		m.after = m.before
		return nil
	}
	if m.sumBefore != nil {
		if err := os.WriteFile(filepath.Join(work, "go.sum"), m.sumBefore, 0o644); err != nil {
			return err
		}
	}
	version := o.Slipway.Version
	edits := []string{"-tool=" + mage}
	if o.Slipway.Checkout != "" {
		version = "v0.0.0"
		edits = append(edits, "-replace="+origin.Module+"="+o.Slipway.Checkout)
	}
	if _, err := editMod(ctx, file, edits...); err != nil {
		return err
	}
	o.step("resolving modules")
	m.workFile = file
	packages := []string{targets, workflows, mage}
	// The checksums of the plugin's own packages change with the versions they are built with.
	own := []string{"list", "-e", "-deps", "-test", "-tags=mage", "-f={{.ImportPath}}", "./..."}
	for _, args := range [][]string{
		{"get", origin.Module + "@" + version},
		append([]string{"list", "-deps", "-f={{.ImportPath}}"}, packages...),
		own,
	} {
		if _, err := process.Output(m.command(ctx, "-mod=mod", args...)); err != nil {
			return fmt.Errorf("add Slipway to go.mod: %w\nnothing was changed", err)
		}
	}
	if m.after, err = os.ReadFile(file); err != nil {
		return err
	}
	if m.sumAfter, err = os.ReadFile(filepath.Join(work, "go.sum")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after, err := parseMod(ctx, file)
	if err != nil {
		return err
	}
	m.raised = raised(before, after)
	if len(m.raised) == 0 {
		return nil
	}
	o.step("compiling the plugin with other versions of modules")
	return m.checkCompiles(ctx, work)
}

// checkCompiles returns an error if the plugin compiles with its own versions of modules
// but not with those that Slipway requires.
func (m *module) checkCompiles(ctx context.Context, work string) error {
	compile := func(workFile string) error {
		with := *m
		with.workFile = workFile
		out, err := process.Output(with.command(ctx, "-mod=mod", "list", "-e", "-f={{.ImportPath}}", "./..."))
		if err != nil {
			return err
		}
		// As package build does, so that the first build finds the packages compiled.
		args := []string{"build", "-trimpath", "-buildvcs=false", build.CompilerFlags, "-o", os.DevNull}
		for name := range strings.FieldsSeq(string(out)) {
			if !strings.Contains(name, "/node_modules/") {
				args = append(args, name)
			}
		}
		cmd := with.command(ctx, "-mod=mod", args...)
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
		_, err = process.Output(cmd)
		return err
	}
	broken := compile(m.workFile)
	if broken == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	original := filepath.Join(work, "original.mod")
	if err := os.WriteFile(original, m.before, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "original.sum"), m.sumBefore, 0o644); err != nil {
		return err
	}
	if compile(original) != nil { // which is not due to Slipway
		return ctx.Err()
	}
	return fmt.Errorf("the Go code does not compile with the versions of modules that Slipway requires; upgrade them first (%s), or run slipway validate, slipway build and slipway dev, which work without init: %w\nnothing was changed", strings.Join(m.raised, ", "), broken)
}

// raised returns the direct requirements whose versions differ.
func raised(before, after goMod) (list []string) {
	versions := map[string]string{}
	for _, r := range after.Require {
		versions[r.Path] = r.Version
	}
	for _, r := range before.Require {
		if now := versions[r.Path]; !r.Indirect && now != "" && now != r.Version {
			list = append(list, fmt.Sprintf("%s %s => %s", r.Path, r.Version, now))
		}
	}
	return list
}

// command returns a go command that uses the copies of go.mod and go.sum in place of
// those of the repository.
func (m *module) command(ctx context.Context, mod string, args ...string) *exec.Cmd {
	flags := strconv.Quote("-modfile="+m.workFile) + " " + mod
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = m.dir
	if m.before == nil { // a module root without go.mod
		cmd.Dir, flags = filepath.Dir(m.workFile), mod
	}
	cmd.Env = append(os.Environ(), "GOFLAGS="+flags, "GOWORK=off")
	return cmd
}
