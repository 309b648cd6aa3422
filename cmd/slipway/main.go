// Command slipway scaffolds, checks, builds and runs plugins of a dashboard service.
//
// It has all verbs. Package verbs implements those of the toolchain. Those that run plugins or read
// them as a host does are in the program slipway-host, which slipway finds, or builds, and runs:
// the first "slipway validate" must not compile a SQL engine. For the same reason, frontends
// are bundled by the program slipway-bundler.
package main

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/cmd/internal/command"
	"github.com/slipway-dev/slipway/cmd/internal/program"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
)

func main() { command.Main(newProgram) }

// newProgram returns the program with the whole table of verbs.
func newProgram(face verbs.Face, stdout, stderr *os.File) command.Program {
	return command.Program{
		Verbs: verbs.All(build.Program{Path: func(ctx context.Context) (string, error) {
			return program.Find(ctx, program.Bundler, stderr)
		}}),
		Face: face, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
		Forward: func(ctx context.Context, args []string) error {
			host, err := program.Find(ctx, program.Host, stderr)
			if err != nil {
				return err
			}
			if err := os.Setenv(verbs.EnvFace, string(face)); err != nil {
				return err
			}
			return program.Exec(host, args)
		},
	}
}
