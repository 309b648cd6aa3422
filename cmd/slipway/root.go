package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/templates"
)

// newRoot returns the command with all its verbs.
func newRoot(stdout *os.File, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "slipway",
		Short:         "Scaffold, check, build and run plugins of a dashboard service",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          arguments(cobra.NoArgs),
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	root.AddCommand(
		scaffoldCommand(stdout),
		validateCommand(stdout),
		rulesCommand(stdout),
		explainCommand(stdout),
		schemaCommand(stdout),
		buildCommand(stdout),
		conformanceCommand(stdout),
		hostCommand(stdout, stderr),
		devCommand(stdout, stderr),
		versionCommand(),
	)
	return root
}

// arguments makes a wrong number of arguments a usage error.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%w; use it as: %s", err, c.UseLine())}
		}
		return nil
	}
}

func scaffoldCommand(stdout *os.File) *cobra.Command {
	var o templates.Options
	c := &cobra.Command{
		Use:   "scaffold <type> <id>",
		Short: "Make a new plugin repository",
		Long:  "Make a new plugin repository. The types are datasource (with a Go backend) and panel.",
		Example: "  slipway scaffold datasource acme-hello-datasource\n" +
			"  slipway scaffold panel acme-gauge-panel --dir=gauge --name=\"Round gauge\"",
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			o.Type, o.ID = args[0], args[1]
			return verbs.Scaffold(c.Context(), stdout, o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", "", "folder to write into (a new one named by the id)")
	c.Flags().StringVar(&o.Name, "name", "", "name that users see (made from the id)")
	c.Flags().StringVar(&o.Org, "org", "", "author (the first part of the id)")
	c.Flags().StringVar(&o.Description, "description", "", "one sentence about the plugin")
	c.Flags().BoolVar(&o.Force, "force", false, "write into a folder that is not empty; what is overwritten is listed")
	return c
}

func validateCommand(stdout *os.File) *cobra.Command {
	var o verbs.ValidateOptions
	c := &cobra.Command{
		Use:   "validate [path]",
		Short: "Check plugin.json and the files around it",
		Long: "Check a plugin repository, a dist, a zip, one plugin.json or a folder of many plugins.\n" +
			"With - as the path it reads one plugin.json from standard input.\n" +
			"Exit status: 0 clean, 1 errors found, 2 wrong usage, 3 a check could not run.",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Path = args[0]
			}
			// The program ends soon, so collecting less is worth some memory.
			debug.SetGCPercent(400)
			debug.SetMemoryLimit(224 << 20)
			return verbs.Validate(c.Context(), stdout, o)
		},
	}
	c.Flags().StringVar(&o.Format, "format", "text", "text, json, sarif, junit or github")
	c.Flags().StringVar(&o.Output, "output", "", "write the report to this file")
	c.Flags().StringVar(&o.Profile, "profile", "", "names of plugin.json: service or grafana (found from the file)")
	c.Flags().BoolVar(&o.Strict, "strict", false, "warnings are errors")
	c.Flags().BoolVar(&o.Fix, "fix", false, "make the fixes that are safe, then report what is left")
	c.Flags().BoolVar(&o.Diff, "diff", false, "show what --fix would change; exit status 1 if that is anything")
	c.Flags().StringVar(&o.Config, "config", "", "use this file in place of the slipway.yaml that is found")
	c.Flags().StringVar(&o.Baseline, "baseline", "", "leave out the findings in this file, and say which of them are gone")
	c.Flags().StringVar(&o.WriteBaseline, "write-baseline", "", "write all findings to this file, to be used with --baseline")
	return c
}

func buildCommand(stdout *os.File) *cobra.Command {
	var o verbs.BuildOptions
	c := &cobra.Command{
		Use:   "build",
		Short: "Write dist: executables, assets and plugin.json",
		Args:  arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := verbs.Build(c.Context(), stdout, o)
			return err
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "the plugin repository")
	c.Flags().StringVar(&o.Platforms, "platforms", "all", "all, host or a list such as linux/amd64,windows/amd64")
	c.Flags().StringVar(&o.Profile, "profile", "", "names of plugin.json: service or grafana (found from the file)")
	return c
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(cobra.NoArgs),
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(c.OutOrStdout(), "slipway %s %s %s/%s\n", origin.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
