package verbs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Program returns the path of one of our commands, slipway or slipway-bundler, in the
// version that the module in dir requires. It builds the command into the user's cache
// if needed, outside of the module: the go.mod of a plugin does not require the
// dependencies of the host. It prints to w while it builds.
func Program(ctx context.Context, name, dir string, w io.Writer) (string, error) {
	from, err := required(ctx, dir)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache directory: %w", err)
	}
	key := from.Version
	if from.Checkout != "" {
		sum := sha256.Sum256([]byte(from.Checkout))
		key = "checkout-" + hex.EncodeToString(sum[:6])
	}
	program := filepath.Join(cache, "slipway", key, name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	_, statErr := os.Stat(program)
	if statErr == nil && from.Checkout == "" {
		return program, nil
	}
	if statErr != nil {
		fmt.Fprintf(w, "building %s; the first time, this can take a minute or two\n", name)
	}
	file, isFile := w.(*os.File)
	defer progress.Task{W: w, IsTerminal: isFile && isTerminal(file), Name: "building " + name}.Start()()
	if _, err := process.Output(programCommand(ctx, from, name, program)); err != nil {
		return "", fmt.Errorf("build %s:\n%w", name, err)
	}
	return program, nil
}

// linkerFlags omit what only a debugger reads, which takes a third of the time of the linker.
const linkerFlags = "-ldflags=-s -w"

// programCommand returns the command that builds one of our commands. A released version is built
// with the flags of plugins, to share what is compiled. A checkout is built with the default
// flags, to share what the developers of Slipway have compiled.
func programCommand(ctx context.Context, from origin.Origin, name, program string) *exec.Cmd {
	env := append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0")
	if from.Checkout != "" {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", linkerFlags, "-o", program, "./cmd/"+name)
		cmd.Dir, cmd.Env = from.Checkout, env
		return cmd
	}
	cmd := exec.CommandContext(ctx, "go", "install", "-trimpath", build.CompilerFlags, linkerFlags, origin.Module+"/cmd/"+name+"@"+from.Version)
	cmd.Dir, cmd.Env = os.TempDir(), append(env, "GOBIN="+filepath.Dir(program), "GOFLAGS=-mod=mod")
	return cmd
}

// required returns where the module in dir gets Slipway from.
func required(ctx context.Context, dir string) (origin.Origin, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", origin.Module)
	cmd.Dir = dir
	out, err := process.Output(cmd)
	if err != nil {
		return origin.Origin{}, fmt.Errorf("find the version of Slipway in go.mod: %w", err)
	}
	type module struct {
		Path, Version, Dir string
		Main               bool
		Replace            *module
	}
	var m module
	if err := json.Unmarshal(out, &m); err != nil {
		return origin.Origin{}, fmt.Errorf("find the version of Slipway in go.mod: %w", err)
	}
	switch {
	case m.Main:
		return origin.Origin{Checkout: m.Dir}, nil
	case m.Replace != nil && m.Replace.Version == "":
		return origin.Origin{Checkout: m.Replace.Dir}, nil
	case m.Replace != nil:
		return origin.Origin{Version: m.Replace.Version}, nil
	}
	return origin.Origin{Version: m.Version}, nil
}
