package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
)

// tempSuffix follows the name of the staging directory in that for temporary files of the go command.
const tempSuffix = "-temp-"

// compile builds the executables, one per processor at a time.
func (p *Plan) compile(ctx context.Context, staging string, r *Result) error {
	if len(p.Commands) == 0 {
		return nil
	}
	// The go command leaves temporary files behind if it is interrupted early.
	var err error
	if p.temp, err = os.MkdirTemp(p.Repo.Root, filepath.Base(staging)+tempSuffix); err != nil {
		return fmt.Errorf("prepare compilation: %w", err)
	}
	defer func() { _ = process.RemoveAll(p.temp) }()
	var done atomic.Int64
	left := func() string {
		return fmt.Sprintf("%d of %d left", int64(len(p.Commands))-done.Load(), len(p.Commands))
	}
	if !p.options.Update { // dev prints when the change is live
		defer progress.Task{W: p.options.Progress, IsTerminal: p.options.Live, Name: "compiling", Left: left}.Start()()
	}
	r.Executables = make([]Executable, len(p.Commands))
	failures := make([]error, len(p.Commands))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range p.Commands {
		group.Go(func() error {
			started := time.Now()
			r.Executables[i], failures[i] = p.compileOne(ctx, staging, c)
			r.Executables[i].Took = time.Since(started)
			done.Add(1)
			return nil
		})
	}
	_ = group.Wait() // failures holds all errors, not only the first
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, e := range r.Executables {
		r.Changes.Compiling += e.Took
	}
	if p.options.Update {
		return errors.Join(failures...)
	}
	return p.compileError(failures)
}

// compileOne compiles for one platform. It first puts the previous executable into the
// staging directory. If the go command finds that one up to date, it stays; otherwise the
// go command replaces it, without writing to it.
func (p *Plan) compileOne(ctx context.Context, staging string, c Command) (Executable, error) {
	target, previous := filepath.Join(staging, filepath.FromSlash(c.Output)), p.inDist(c.Output)
	if _, err := checkExecutable(previous, c); err == nil {
		if err := linkOrCopy(previous, target); err != nil {
			return Executable{}, fmt.Errorf("reuse previous executable: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, "go", slices.Insert(slices.Clone(c.Args), 1, "-o", target)...)
	cmd.Dir = c.module
	cmd.Env = slices.Concat(p.options.Environ, c.Env, []string{"GOTMPDIR=" + p.temp})
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := process.Run(cmd, process.Grace); err != nil {
		switch {
		case ctx.Err() != nil:
			return Executable{}, ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return Executable{}, errors.New("go command not found on the PATH: install Go from go.dev/dl")
		}
		text := ExplainGo(c.module, strings.TrimSpace(output.String()))
		if text == "" {
			text = fmt.Sprintf("the go command failed without output: %v", err)
		}
		return Executable{}, errors.New(text)
	}
	size, err := checkExecutable(target, c)
	if err != nil {
		return Executable{}, err
	}
	same, err := sameContents(target, previous)
	return Executable{Platform: c.Platform, File: c.Output, Size: size, UpToDate: err == nil && same}, os.Chmod(target, 0o755)
}

// checkExecutable returns the size of an executable, or an error if it is not one for
// the command's platform: the go command compiles other packages to an archive.
func checkExecutable(file string, c Command) (size int64, err error) {
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return 0, fmt.Errorf("open executable: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("open executable: %w", err)
	}
	defer func() { _ = f.Close() }()
	platform, err := bundle.ExecutablePlatform(f)
	switch {
	case errors.Is(err, bundle.ErrNotExecutable):
		return 0, fmt.Errorf("%s is not a main package: its files must begin with \"package main\"", c.Args[len(c.Args)-1])
	case err != nil:
		return 0, fmt.Errorf("%s: %w", c.Output, err)
	case platform != c.Platform:
		return 0, fmt.Errorf("%s is built for %s, not for %s", c.Output, platform, c.Platform)
	}
	return info.Size(), nil
}

// compileError reports each distinct failure once, with its platforms.
func (p *Plan) compileError(failures []error) error {
	var texts []string
	platforms := map[string][]string{}
	for i, err := range failures {
		if err == nil {
			continue
		}
		text := err.Error()
		if platforms[text] == nil {
			texts = append(texts, text)
		}
		platforms[text] = append(platforms[text], p.Commands[i].Platform.String())
	}
	if len(texts) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("the backend does not compile; dist is unchanged")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s:\n  %s", strings.Join(platforms[text], ", "), strings.ReplaceAll(text, "\n", "\n  "))
	}
	if strings.Contains(b.String(), "missing go.sum entry") {
		b.WriteString("\n  to add all entries that go.sum lacks: go mod tidy")
	}
	if p.options.Backend.Cgo {
		b.WriteString("\n  slipway.yaml enables cgo, so each platform needs a C compiler that targets it; build for this machine only, or set CC")
	}
	return errors.New(b.String())
}
