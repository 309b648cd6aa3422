package verbs

import (
	"context"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate/report"
)

// Bundler bundles the frontends that deps and build find.
type Bundler = build.Bundler

func scaffoldVerb() Verb {
	o := &scaffoldOptions{}
	return Verb{
		Name: "scaffold", Mage: targets, Asks: true,
		Args:  []Arg{{Name: "type", Value: &o.Type, IsRequired: true}, {Name: "id", Value: &o.ID, IsRequired: true}},
		Short: "Create a plugin repository",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory to create (default: the id)"},
			{Name: "into", Value: &o.Into, Help: "repository of the app to add a data source or a panel to"},
			{Name: "name", Value: &o.Name, Help: "name shown to users (default: derived from the id)"},
			{Name: "org", Value: &o.Org, Help: "author (default: the first part of the id)"},
			{Name: "description", Value: &o.Description, Help: "one sentence about the plugin"},
			{Name: "profile", Value: &o.Profile, Help: "key names in plugin.json: service, grafana or both (default: both)"},
			{Name: "backend", Value: &o.Backend, Help: "whether the plugin has a backend (default: true, but false for a panel)"},
			{Name: "base", Value: &o.Base, Help: "create-plugin: let Grafana's generator create the repository, and run init in it"},
			{Name: "list", Value: &o.List, Help: "list the types, profiles and options", IsNoMage: true}, // Mage requires the arguments
			{Name: "force", Value: &o.Force, Help: "write into a directory that is not empty, and list the files overwritten"},
		},
		Aliases: []Alias{
			{Name: "Scaffold.New", Short: "asks for the type, the id and the other options of a plugin repository, and creates it",
				Options: []string{"dir", "force"}},
			{Name: "Scaffold.List", Short: "lists the types of plugins that scaffold creates, the profiles and the backends",
				Set: []string{"--list"}},
		},
		Face: &o.Face,
		Run: func(ctx context.Context, c Call) error {
			if o.In = asTerminal(c.Stdin); o.In == nil && o.ID == "" && !o.List {
				return missingScaffold(c, o.Type != "")
			}
			if o.Base != "" {
				return runBase(ctx, c.Stdout, *o)
			}
			return runScaffold(ctx, c.Stdout, *o)
		},
	}
}

// missingScaffold returns the error of scaffold without all arguments and a terminal to ask on.
func missingScaffold(c Call, hasType bool) error {
	if c.Face == Mage {
		return Usage("cannot ask for the type and id: standard input is not a terminal; run '%s <type> <id>' instead", c.Face.Verb("scaffold"))
	}
	missing := "type"
	if hasType {
		missing = "id"
	}
	return Usage("missing argument <%s>\nusage: %s\nhelp: the types are %s; an id is <org>-<name>-<type>, such as acme-hello-datasource",
		missing, c.Usage, strings.Join(templates.TypeNames(), ", "))
}

func updateVerb() Verb {
	o := &updateOptions{}
	return Verb{
		Name: "scaffold update", Mage: workflow,
		Short: "Bring the files of a scaffold up to date",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "dry-run", Value: &o.DryRun, Help: "print a diff and change nothing"},
		},
		Run: func(ctx context.Context, c Call) error { return runUpdate(ctx, c.Stdout, *o) },
	}
}

func initVerb() Verb {
	o := &initOptions{}
	return Verb{
		Name: "init", Mage: targets,
		Short: "Add Slipway to an existing plugin repository",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory of the plugin (default: that of this directory)"},
			{Name: "dry-run", Value: &o.DryRun, Help: "print a diff and change nothing"},
			{Name: "no-workflow", Value: &o.NoWorkflow, Help: "add no GitHub workflow"},
			{Name: "undo", Value: &o.Undo, Help: "restore the files that init changed"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runInit(ctx, c.Stdout, *o) },
	}
}

func validateVerb() Verb {
	o := &validateOptions{Format: report.Formats()[0].Name}
	return Verb{
		Name: "validate", Mage: targets,
		Args: []Arg{{Name: "path", Values: &o.Paths, Option: "path",
			Help: "what to validate (default: the plugin repository of this directory); \"-\" reads plugin.json or a zip from standard input"}},
		Short: "Check plugin.json and the files it refers to",
		Options: []Option{
			{Name: "format", Value: &o.Format, Help: "format of the report: text, concise, json, sarif, junit or github"},
			{Name: "output", Value: &o.Output, Help: "write the report to this file"},
			profileOption(&o.Profile),
			{Name: "strict", Value: &o.Strict, Help: "treat warnings as errors"},
			{Name: "source", Value: &o.Source, Help: "repository that a zip must be built from, a directory or zip; nothing is built"},
			{Name: "only", Value: &o.Only, Help: "run only these rules, even if they are turned off"},
			{Name: "fix", Value: &o.Fix, Help: "apply the safe fixes, then report the remaining findings"},
			{Name: "all", Value: &o.All, Help: allHelp + ", each with its own slipway.yaml"},
			{Name: "verbose", Short: "v", Value: &o.Verbose, Help: "list all info findings, and the rules that did not run"},
			{Name: "diff", Value: &o.Diff, Help: "print what fix would change; exit with status 1 if there is anything to change"},
			{Name: "config", Value: &o.Config, Help: "configuration file (default: the nearest slipway.yaml)"},
			{Name: "baseline", Value: &o.Baseline, Help: "omit the findings recorded in this file; any other fails"},
			{Name: "write-baseline", Value: &o.WriteBaseline, Help: "record all findings in this file, for the option baseline"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runValidate(ctx, c.Stdout, *o) },
	}
}

func compatVerb() Verb {
	o := &compatOptions{Format: "text"}
	return Verb{
		Name: "compat", Mage: targets,
		Args: []Arg{{Name: "path", Value: &o.Path, Option: "path",
			Help: "a plugin repository, a built plugin or a zip (default: the plugin repository of this directory)"}},
		Short: "Show in which versions of existing hosts a plugin runs",
		Options: []Option{
			{Name: "versions", Value: &o.Versions, Help: "minor versions to show, such as 10.4,12.4 (default: the ends of the declared range, and " +
				"the last of each major version)"},
			{Name: "suggest", Value: &o.Suggest, Help: "print only the widest range without errors"},
			{Name: "format", Value: &o.Format, Help: "output format: text or json"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runCompat(ctx, c.Stdout, *o) },
	}
}

func rulesVerb() Verb {
	return Verb{
		Name: "rules", Mage: targets,
		Short: "List the rules of validate",
		Run:   func(_ context.Context, c Call) error { return runRules(c.Stdout) },
	}
}

func explainVerb() Verb {
	rule := new(string)
	return Verb{
		Name: "explain", Mage: targets,
		Args:  []Arg{{Name: "rule", Value: rule, IsRequired: true}},
		Short: "Explain a rule: its purpose, how to fix its findings, and an example",
		Run:   func(_ context.Context, c Call) error { return runExplain(c.Stdout, c.Face, *rule) },
	}
}

func schemaVerb() Verb {
	o := &schemaOptions{}
	return Verb{
		Name: "schema", Mage: targets,
		Args:  []Arg{{Name: "plugin|config", Value: &o.What, Option: "what", Help: "schema to write: plugin or config (default: both)"}},
		Short: "Write JSON Schemas for plugin.json and slipway.yaml",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory to write to (default: the plugin repository of this directory)"},
			profileOption(&o.Profile),
		},
		Face: &o.Face,
		Run:  func(_ context.Context, c Call) error { return runSchema(c.Stdout, *o) },
	}
}

func depsVerb(b Bundler) Verb {
	o := &depsOptions{Bundler: b}
	return Verb{
		Name: "deps", Mage: targets,
		Short: "Download the packages that the frontend imports",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "types", Value: &o.Types, Help: "also lay out node_modules for editors and for the check of types, which needs no Node.js then"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runDeps(ctx, c.Stdout, *o) },
	}
}

func buildVerb(b Bundler) Verb {
	o := &BuildOptions{Bundler: b}
	return Verb{
		Name: "build", Mage: targets,
		Short: "Build the plugin into dist",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "platforms", Value: &o.Platforms, Help: "all, host or a list such as linux/amd64,windows/amd64 (default: those in " +
				"slipway.yaml, or all)"},
			{Name: "add", Value: &o.Add, Help: "also build for the platforms of the executables in dist"},
			{Name: "only", Value: &o.Only, Help: "build only the backend or the frontend, and keep the rest of dist"},
			{Name: "debug", Value: &o.Debug, Help: "build executables for a debugger"},
			profileOption(&o.Profile),
			{Name: "all", Value: &o.All, Help: allHelp},
		},
		Face: &o.Face,
		Run: func(ctx context.Context, c Call) error {
			o.In = asTerminal(c.Stdin)
			return runBuild(ctx, c.Stdout, *o)
		},
	}
}

func packageVerb() Verb {
	o := &packageOptions{}
	return Verb{
		Name: "package", Mage: targets,
		Args:  []Arg{{Name: "path", Values: &o.Paths, Option: "path", Help: "pack the plugins of these plugin repositories"}},
		Short: "Pack the built plugin for distribution",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "all", Value: &o.All, Help: allHelp},
			{Name: "out", Value: &o.Out, Help: "directory to write to (default: release in the repository)"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runPackage(ctx, c.Stdout, *o) },
	}
}

func verifyVerb() Verb {
	o := &verifyOptions{}
	return Verb{
		Name: "verify", Mage: targets,
		Args:  []Arg{{Name: "path", Values: &o.Paths, Option: "path", Help: "verify only this dist, zip or directory of zips"}},
		Short: "Compare packaged plugins with their signatures and checksums",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "all", Value: &o.All, Help: allHelp},
			{Name: "root-url", Value: &o.RootURL, Help: "root_url of a Grafana for which the signature in MANIFEST.txt must hold, such as https://grafana.example.org/"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runVerify(ctx, c.Stdout, *o) },
	}
}

func testVerb() Verb {
	o := &testOptions{}
	return Verb{
		Name: "test", Mage: workflow,
		Short: "Run the tests of a plugin repository",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "race", Value: &o.Race, Help: "detect data races"},
			{Name: "coverage", Value: &o.Coverage, Help: "write coverage reports to the directory coverage"},
		},
		Aliases: []Alias{
			{Name: "TestRace", Short: "runs the Go tests with the race detector", Set: []string{"--race"}},
			{Name: "TEST.Race", Short: "runs the Go tests with the race detector", Set: []string{"--race"}},
			{Name: "Coverage", Short: "runs the Go tests and writes coverage/backend.html", Set: []string{"--coverage"}, Options: []string{"dir"}},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return runTest(ctx, c.Stdout, *o) },
	}
}

// dirVerbs are the verbs that take nothing but the directory of a plugin repository.
func dirVerbs() (list []Verb) {
	for _, v := range []struct {
		Verb
		run func(ctx context.Context, c Call, dir string) error
	}{
		{Verb{
			Name: "lint", Mage: workflow, Short: "Check the code of a plugin repository",
		}, func(ctx context.Context, c Call, dir string) error { return runLint(ctx, c.Stdout, c.Face, dir) }},
		{Verb{
			Name: "format", Mage: workflow, Short: "Format the Go files of a plugin repository",
		}, func(_ context.Context, c Call, dir string) error { return runFormat(c.Stdout, dir) }},
		{Verb{
			Name: "clean", Mage: workflow, Short: "Remove what builds and tests wrote",
		}, func(ctx context.Context, c Call, dir string) error { return runClean(ctx, c.Stdout, dir) }},
		{Verb{
			Name: "gosums", IsHidden: true, // the target build:generateManifestFile
			Short: "Write dist/go_plugin_build_manifest, which Grafana's catalog asks for",
		}, func(_ context.Context, c Call, dir string) error { return runGoSums(c.Stdout, dir) }},
	} {
		dir := new(string)
		v.Options = []Option{dirOption(dir)}
		v.Run = func(ctx context.Context, c Call) error { return v.run(ctx, c, *dir) }
		list = append(list, v.Verb)
	}
	return list
}
