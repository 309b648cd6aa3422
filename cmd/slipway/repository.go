package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/verbs"
)

func initCommand(stdout *os.File) *cobra.Command {
	var o verbs.InitOptions
	c := &cobra.Command{
		Use:   "init",
		Short: "Add Slipway to an existing plugin repository",
		Long: "Add Slipway to an existing plugin repository: the tool in go.mod, a magefile beside the\n" +
			"existing ones, slipway.yaml, a GitHub workflow and a line in .gitignore. It lists the files that it changes, and then\n" +
			"validates and builds the plugin. If Slipway's targets have the same names as existing\n" +
			"ones, those keep their names and Slipway's are called slipway:validate, slipway:build and so on.",
		Example: "  slipway init --dry-run\n" +
			"  slipway init --dir=plugins/acme-hello-datasource\n" +
			"  slipway init --undo",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Face = face(c)
			return verbs.Init(c.Context(), stdout, o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "directory of the plugin")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "print a diff and change nothing")
	c.Flags().BoolVar(&o.Undo, "undo", false, "restore the files that init changed")
	return c
}

func updateCommand(stdout *os.File) *cobra.Command {
	var o verbs.UpdateOptions
	c := &cobra.Command{
		Use:   "update",
		Short: "Bring the files of a scaffold up to date",
		Long: "Bring the files that the templates maintain up to date: the magefile, the workflow, .gitignore,\n" +
			"tsconfig.json, the schema of plugin.json and the development container. What changed in the\n" +
			"templates since the repository was scaffolded or last updated is merged into these files, and\n" +
			"your edits are kept. If both sides changed the same lines, the file contains both between\n" +
			"markers, and the exit status is 1. The merge needs git.",
		Example: "  slipway scaffold update --dry-run\n" +
			"  slipway scaffold update",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return verbs.Update(c.Context(), stdout, o) },
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "plugin repository")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "print a diff and change nothing")
	return c
}

func testCommand(stdout *os.File) *cobra.Command {
	var o verbs.TestOptions
	c := &cobra.Command{
		Use:   "test",
		Short: "Run the tests of a plugin repository",
		Long: "Run the Go tests of a plugin repository, and the test script of package.json if its packages\n" +
			"are installed in node_modules. With --race or --coverage, only the Go tests run.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return verbs.Test(c.Context(), stdout, o) },
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "plugin repository")
	c.Flags().BoolVar(&o.Race, "race", false, "detect data races")
	c.Flags().BoolVar(&o.Coverage, "coverage", false, "write coverage reports to the directory coverage")
	return c
}

func lintCommand(stdout *os.File) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "lint",
		Short: "Check the Go code of a plugin repository",
		Long: "Run go vet, and golangci-lint and staticcheck if go.mod lists them as tools or the repository\n" +
			"has their configuration files.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return verbs.Lint(c.Context(), stdout, dir) },
	}
	c.Flags().StringVar(&dir, "dir", ".", "plugin repository")
	return c
}

func formatCommand(stdout *os.File) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "format",
		Short: "Format the Go files of a plugin repository",
		Long:  "Format the Go files of a plugin repository as gofmt does, and list those that changed.",
		Args:  arguments(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return verbs.Format(stdout, dir) },
	}
	c.Flags().StringVar(&dir, "dir", ".", "plugin repository")
	return c
}

func cleanCommand(stdout *os.File) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what builds and tests wrote",
		Long: "Remove the directories dist and coverage, and the record of the last build. A directory\n" +
			"with files that Git tracks is kept.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return verbs.Clean(c.Context(), stdout, dir) },
	}
	c.Flags().StringVar(&dir, "dir", ".", "plugin repository")
	return c
}
