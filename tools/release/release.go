package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	notesFile = "RELEASE_NOTES.md"
	sumsFile  = "SHA256SUMS"
)

// release is a release in preparation.
type release struct {
	root      string // the repository
	out       string // the directory of the files; replaced
	platforms []platform
	isDry     bool
	progress  io.Writer

	version string
	date    time.Time // of the commit
}

type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// prepare writes the files of the release and returns their names.
func (r *release) prepare(ctx context.Context) (names []string, err error) {
	if err := r.readCommit(ctx); err != nil {
		return nil, err
	}
	notes, err := r.notes()
	if err != nil {
		return nil, err
	}
	// The files appear in out only when they are complete.
	stage := r.out + ".new"
	if err := errors.Join(os.RemoveAll(stage), os.MkdirAll(stage, 0o755)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()

	var executables []string
	for _, p := range r.platforms {
		started := time.Now()
		built, err := r.build(ctx, p, filepath.Join(stage, p.String()))
		if err != nil {
			return nil, err
		}
		name, err := r.archive(p, built, stage)
		if err != nil {
			return nil, fmt.Errorf("archive for %s: %w", p, err)
		}
		fmt.Fprintf(r.progress, "  %s  %.1fs\n", name, time.Since(started).Seconds())
		executables, names = append(executables, built...), append(names, name)
	}
	sbom, err := r.sbom(executables)
	if err != nil {
		return nil, fmt.Errorf("SBOM: %w", err)
	}
	name := "slipway_" + r.version + ".cdx.json"
	if err := os.WriteFile(filepath.Join(stage, name), sbom, 0o644); err != nil {
		return nil, err
	}
	names = append(names, name)
	sums, err := checksums(stage, names)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(stage, sumsFile), sums, 0o644),
		os.WriteFile(filepath.Join(stage, notesFile), []byte(notes), 0o644),
	)
	for _, e := range executables {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(e)))
	}
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.RemoveAll(r.out), os.Rename(stage, r.out))
	return append(names, sumsFile, notesFile), err
}

// readCommit reads the version and the date of HEAD. Unless the release is dry, HEAD
// must have a tag such as v1.2.3, and the working tree no changes.
func (r *release) readCommit(ctx context.Context) error {
	commit, err := git(ctx, r.root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(commit, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("date of the commit: %w", err)
	}
	r.date = time.Unix(unix, 0).UTC()
	tags, err := git(ctx, r.root, "tag", "--points-at=HEAD", "--list", "v[0-9]*")
	if err != nil {
		return err
	}
	targets, err := git(ctx, r.root, "tag", "--points-at=HEAD", "--list", "targets/v[0-9]*")
	if err != nil {
		return err
	}
	changes, err := git(ctx, r.root, "status", "--porcelain")
	if err != nil {
		return err
	}
	list := strings.Fields(tags)
	switch {
	case !r.isDry && changes != "":
		return fmt.Errorf("the working tree has uncommitted changes:\n%s", changes)
	case !r.isDry && len(list) == 0:
		return fmt.Errorf("commit %.12s has no tag such as v1.2.3", hash)
	case !r.isDry && len(list) > 1:
		return fmt.Errorf("commit %.12s has several tags: %s", hash, strings.Join(list, ", "))
	case !r.isDry && !slices.Contains(strings.Fields(targets), "targets/"+list[0]):
		return fmt.Errorf("commit %.12s has no tag targets/%s, which is the version of the module targets", hash, list[0])
	case len(list) == 1 && changes == "":
		r.version = list[0]
	default:
		r.version = fmt.Sprintf("v0.0.0-%s-%.12s", r.date.Format("20060102150405"), hash)
	}
	return nil
}

// build compiles the programs for a platform into a directory. The flags make the executables
// independent of this machine; the go command records the commit and the tag. The compiler flags are
// those of backends, so both share compiled packages.
func (r *release) build(ctx context.Context, p platform, dir string) (executables []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-gcflags=all=-dwarf=false -d=gcstart=512",
		"-ldflags=-s -w", "-o", dir+string(filepath.Separator), "./cmd/...")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM=7", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s: %w\n%s", p, err, out)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		executable := filepath.Join(dir, e.Name())
		// The go command does not record the tag in a linked worktree, and the program then
		// cannot tell plugin repositories which version to require.
		info, err := buildinfo.ReadFile(executable)
		if err != nil {
			return nil, fmt.Errorf("build for %s: %w", p, err)
		}
		if !r.isDry && info.Main.Version != r.version {
			return nil, fmt.Errorf("build for %s: the executable has the version %q, want %s; build in a clone of the repository", p,
				info.Main.Version, r.version)
		}
		executables = append(executables, executable)
	}
	return executables, err
}

// notes returns the section of the changelog for the version. In a dry run without
// one, it is that of the unreleased changes.
func (r *release) notes() (string, error) {
	data, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	sections := map[string]string{}
	title := ""
	for line := range strings.Lines(string(data)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			// The version may be a link, and the date may follow.
			title, _, _ = strings.Cut(strings.TrimSpace(heading), " ")
			title = "v" + strings.TrimPrefix(strings.Trim(title, "[]"), "v")
			continue
		}
		sections[title] += line
	}
	text := strings.TrimSpace(sections[r.version])
	if text == "" && r.isDry {
		text = strings.TrimSpace(sections["vUnreleased"])
	}
	if text == "" {
		return "", fmt.Errorf("CHANGELOG.md has no section ## %s", strings.TrimPrefix(r.version, "v"))
	}
	return text + "\n", nil
}

// checksums returns the SHA-256 sums of files in the format of sha256sum.
func checksums(dir string, names []string) ([]byte, error) {
	var out []byte
	for _, name := range slices.Sorted(slices.Values(names)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, "%x  %s\n", sha256.Sum256(data), name)
	}
	return out, nil
}

// git returns the output of a git command.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
