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
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle"
)

// compile builds the executables, as many at a time as there are processors.
func (p *Plan) compile(ctx context.Context, staging string, r *Result) error {
	if len(p.Commands) == 0 {
		return nil
	}
	p.digestInputs(ctx)
	previous := p.readRecord()
	show := newDisplay(p.options.Progress, p.options.Live, p.Commands)
	r.Executables = make([]Executable, len(p.Commands))
	failures := make([]error, len(p.Commands))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range p.Commands {
		group.Go(func() error {
			started := time.Now()
			show.start(i)
			r.Executables[i], failures[i] = p.compileOne(ctx, staging, c, previous.Outputs[c.Output])
			show.finish(i, r.Executables[i], failures[i], time.Since(started))
			return nil
		})
	}
	_ = group.Wait() // failures holds the errors, so that each is reported
	return p.compileError(failures)
}

// compileOne compiles for one platform. The previous executable is laid into the
// staging folder first: it stays if it is up to date, by our own note or because
// the go command finds so, and is replaced, never written to, otherwise.
func (p *Plan) compileOne(ctx context.Context, staging string, c Command, before recordedOutput) (Executable, error) {
	output := filepath.Join(staging, filepath.FromSlash(c.Output))
	previous := filepath.Join(p.Repo.Dist, filepath.FromSlash(c.Output))
	if _, err := checkExecutable(previous, c); err == nil {
		if err := linkOrCopy(previous, output); err != nil {
			return Executable{}, fmt.Errorf("lay out previous executable: %w", err)
		}
	}
	if before.isCurrent(output, c.inputs) {
		e := Executable{Platform: c.Platform, File: c.Output, Size: before.Size, UpToDate: true}
		return e, os.Chmod(output, 0o755)
	}
	args := append([]string{c.Args[0], "-o", output}, c.Args[1:]...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Repo.Root
	cmd.Env = append(append([]string{}, p.options.Environ...), c.Env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return Executable{}, ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return Executable{}, errors.New("the go command is not on the PATH: install Go from go.dev/dl")
		}
		return Executable{}, errors.New(strings.TrimSpace(said.String()))
	}
	size, err := checkExecutable(output, c)
	if err != nil {
		return Executable{}, err
	}
	return Executable{Platform: c.Platform, File: c.Output, Size: size}, os.Chmod(output, 0o755)
}

// checkExecutable makes sure that a file is a program for the command's platform
// and returns its size. The go command compiles any package, also to an archive.
func checkExecutable(file string, c Command) (size int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("open what was compiled: %w", err)
	}
	defer func() { _ = f.Close() }()
	is, err := bundle.ExecutablePlatform(f)
	switch {
	case errors.Is(err, bundle.ErrNotExecutable):
		return 0, fmt.Errorf("%s is not a main package: its files must begin with \"package main\"", c.Args[len(c.Args)-1])
	case err != nil:
		return 0, fmt.Errorf("%s: %w", c.Output, err)
	case is != c.Platform:
		return 0, fmt.Errorf("%s is a program for %s", c.Output, is)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("open what was compiled: %w", err)
	}
	return info.Size(), nil
}

// compileError says each different failure once, with the platforms it has.
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
	b.WriteString("the backend does not compile; dist is as it was")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s:\n  %s", strings.Join(platforms[text], ", "), strings.ReplaceAll(text, "\n", "\n  "))
	}
	return errors.New(b.String())
}
