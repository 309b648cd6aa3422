package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// The go command takes 0.15 s to find that one executable is up to date, and a second
// for six. A build therefore records, in the user's cache, what each executable was made
// of, and skips the go command until that changes: the contents of the module and of
// local replacements, go.sum for all other modules, and the settings of the go command.

// record describes the executables in a dist.
type record struct {
	Outputs map[string]recordedOutput // by file name
}

type recordedOutput struct {
	Inputs   string // digest of what it was made of
	Size     int64
	Modified time.Time
}

// isCurrent reports whether the record describes file, made of inputs.
func (r recordedOutput) isCurrent(file, inputs string) bool {
	info, err := os.Stat(file)
	return err == nil && inputs != "" && r.Inputs == inputs && info.Size() == r.Size && info.ModTime().Equal(r.Modified)
}

// recordFile returns the path of the record of this repository.
func (p *Plan) recordFile() (string, error) {
	cache := p.options.CacheDir
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "slipway", "builds")
	}
	sum := sha256.Sum256([]byte(p.Repo.Root))
	return filepath.Join(cache, hex.EncodeToString(sum[:8])+".json"), nil
}

// readRecord returns an empty record if it cannot be read: everything is compiled.
func (p *Plan) readRecord() record {
	var r record
	file, err := p.recordFile()
	if err != nil {
		return r
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return record{}
	}
	return r
}

// writeRecord records the executables of dist. It ignores errors, which only cost time.
func (p *Plan) writeRecord(ctx context.Context, _ string, result *Result) error {
	if p.options.Only == OnlyFrontend {
		return nil // the executables are those of the record
	}
	before := slices.Clone(p.Commands)
	p.digestInputs(ctx)
	r := record{Outputs: map[string]recordedOutput{}}
	for i, e := range result.Executables {
		if before[i].inputs != p.Commands[i].inputs {
			continue // edited during the build: before or after it was compiled?
		}
		if info, err := os.Stat(filepath.Join(p.Repo.Dist, filepath.FromSlash(e.File))); err == nil {
			r.Outputs[e.File] = recordedOutput{Inputs: p.Commands[i].inputs, Size: info.Size(), Modified: info.ModTime()}
		}
	}
	file, err := p.recordFile()
	if err != nil {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	_ = os.MkdirAll(filepath.Dir(file), 0o755)
	_ = atomicfile.Write(file, 0o644, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return nil
}

// digestInputs sets the digest of what each command compiles, or "" if it is unknown
// and only the go command can tell.
func (p *Plan) digestInputs(ctx context.Context) {
	modules := map[string]string{}
	for i := range p.Commands {
		c := &p.Commands[i]
		common, ok := modules[c.module]
		if !ok {
			common, _ = p.commonInputs(ctx, c.module) // "" on error
			modules[c.module] = common
		}
		if c.inputs = ""; common != "" {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q\n%q", common, c.Args, c.Env))
			c.inputs = hex.EncodeToString(sum[:])
		}
	}
}

// settings lists the settings of the go command that change its output.
func settings() []string {
	return []string{"GOWORK", "GOVERSION", "GOROOT", "GOFLAGS", "GOEXPERIMENT", "GOMODCACHE", "GOFIPS140",
		"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM"}
}

func (p *Plan) commonInputs(ctx context.Context, module string) (string, error) {
	if p.options.Backend.Cgo {
		return "", errors.New("a C compiler reads files from elsewhere")
	}
	if !filepath.IsLocal(p.relative(module)) {
		return "", errors.New("the module contains more than the repository")
	}
	digest := sha256.New()
	env, err := p.goOutput(ctx, module, append([]string{"env"}, settings()...)...)
	if err != nil {
		return "", err
	}
	if work, _, _ := bytes.Cut(env, []byte("\n")); len(bytes.TrimSpace(work)) > 0 && string(work) != "off" {
		return "", errors.New("a workspace may add any module")
	}
	for _, flag := range []string{"-overlay", "-modfile", "-pgo"} {
		if bytes.Contains(env, []byte(flag)) {
			return "", fmt.Errorf("%s in GOFLAGS adds files from elsewhere", flag)
		}
	}
	digest.Write(env)
	dirs, err := p.localModules(ctx, module)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if err := p.digestTree(digest, dir); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// localModules returns the directories of the modules that can change while go.sum
// stays the same: the repository and local replacements.
func (p *Plan) localModules(ctx context.Context, module string) ([]string, error) {
	out, err := p.goOutput(ctx, module, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, err
	}
	dirs := []string{p.Repo.Root}
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			continue
		}
		dir := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(module, dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func (p *Plan) goOutput(ctx context.Context, module string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = module, p.goEnviron()
	return cmd.Output()
}

// digestTree adds the path and contents of every file that a package of a module could
// contain or embed.
func (p *Plan) digestTree(digest io.Writer, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p.isIgnored(root, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", rel)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(digest, "%q %x\n", rel, sha256.Sum256(data))
		return nil
	})
}

// isIgnored reports whether no package uses a directory of a module: what builds write,
// and directories that are too large to read and never embedded.
func (p *Plan) isIgnored(root, rel string) bool {
	isOwn := root == p.Repo.Root && (rel == bundle.DistDir || strings.HasPrefix(rel, ".slipway"))
	return isOwn || rel == "node_modules" || filepath.Base(rel) == ".git"
}
