package verbs

import (
	"context"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/templates"
)

// Bundler bundles the frontends that deps and build find.
type Bundler = build.Bundler

func scaffoldVerb() Verb {
	o := &ScaffoldOptions{}
	return Verb{
		Name: "scaffold", Mage: Targets, Asks: true,
		Args:  []Arg{{Name: "type", Value: &o.Type, IsRequired: true}, {Name: "id", Value: &o.ID, IsRequired: true}},
		Short: "Create a plugin repository",
		Long: "Create a plugin repository with a workflow, a development container, TypeScript for a\n" +
			"frontend and Go for a backend. The types are app, datasource, panel, renderer and\n" +
			"secretsmanager; the id has the form <org>-<name>-<type>. On a terminal, it asks for what is\n" +
			"missing.",
		Example: "  slipway scaffold --list\n" +
			"  slipway scaffold datasource acme-hello-datasource\n" +
			"  slipway scaffold panel acme-gauge-panel --dir=gauge --name=\"Round gauge\" --profile=both",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory to create (default: the id)", Complete: Completion{Dirs: true}},
			{Name: "name", Value: &o.Name, Help: "name shown to users (default: derived from the id)"},
			{Name: "org", Value: &o.Org, Help: "author (default: the first part of the id)"},
			{Name: "description", Value: &o.Description, Help: "one sentence about the plugin"},
			{Name: "profile", Value: &o.Profile, Help: "key names in plugin.json: service, grafana or both (default: service)", Complete: oneOf(templates.ProfileNames)},
			{Name: "backend", Value: &o.Backend, Help: "whether the plugin has a backend (default: true, but false for a panel)"},
			{Name: "list", Value: &o.List, Help: "list the types, profiles and options", IsNoMage: true}, // Mage requires the arguments
			{Name: "force", Value: &o.Force, Help: "write into a directory that is not empty, and list the files overwritten"},
		},
		Aliases: []Alias{
			{Name: "Scaffold.New", Short: "asks for the type, the id and the other options of a plugin repository, and creates it", Options: []string{"dir", "force"}},
			{Name: "Scaffold.List", Short: "lists the types of plugins that scaffold creates, the profiles and the backends", Set: []string{"--list"}},
		},
		Complete: Completion{Names: scaffoldNames},
		Face:     &o.Face,
		Run: func(ctx context.Context, c Call) error {
			if o.ID == "" && !o.List {
				if o.In = Terminal(c.Stdin); o.In == nil {
					return missingScaffold(c, o.Type != "")
				}
			}
			return Scaffold(ctx, c.Stdout, *o)
		},
	}
}

// missingScaffold returns the error of scaffold without all arguments, and without a terminal to
// ask on.
func missingScaffold(c Call, hasType bool) error {
	if c.Face == Mage {
		return usage("cannot ask for the type and id: standard input is not a terminal; run '%s <type> <id>' instead", c.Face.Verb("scaffold"))
	}
	missing := "type"
	if hasType {
		missing = "id"
	}
	return usage("missing argument <%s>\nusage: %s\nhelp: the types are %s; an id is <org>-<name>-<type>, such as acme-hello-datasource",
		missing, c.Usage, strings.Join(templates.TypeNames(), ", "))
}

func updateVerb() Verb {
	o := &UpdateOptions{}
	return Verb{
		Name: "scaffold update", Mage: Workflow,
		Short: "Bring the files of a scaffold up to date",
		Long: "Bring the files that the templates maintain up to date: the magefile, the workflow, .gitignore,\n" +
			"tsconfig.json, the schema of plugin.json and the development container. What changed in the\n" +
			"templates since the repository was scaffolded or last updated is merged into these files, and\n" +
			"your edits are kept. If both sides changed the same lines, the file contains both between\n" +
			"markers, and the exit status is 1. The merge needs git.",
		Example: "  slipway scaffold update --dry-run\n" +
			"  slipway scaffold update",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "dry-run", Value: &o.DryRun, Help: "print a diff and change nothing"},
		},
		Run: func(ctx context.Context, c Call) error { return Update(ctx, c.Stdout, *o) },
	}
}

func initVerb() Verb {
	o := &InitOptions{}
	return Verb{
		Name: "init", Mage: Targets,
		Short: "Add Slipway to an existing plugin repository",
		Long: "Add Slipway to an existing plugin repository: the tools in go.mod, a magefile beside the\n" +
			"existing ones, slipway.yaml, a GitHub workflow and a line in .gitignore. It raises no module that\n" +
			"go.mod requires. It lists the files that it changes, and then validates and builds the plugin. If\n" +
			"Slipway's targets have the same names as existing ones, those keep their names and Slipway's are\n" +
			"called slipway:validate, slipway:build and so on.",
		Example: "  slipway init --dry-run\n" +
			"  slipway init --dir=plugins/acme-hello-datasource\n" +
			"  slipway init --undo",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory of the plugin (default: this directory)", Complete: Completion{Dirs: true}},
			{Name: "dry-run", Value: &o.DryRun, Help: "print a diff and change nothing"},
			{Name: "undo", Value: &o.Undo, Help: "restore the files that init changed"},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return Init(ctx, c.Stdout, *o) },
	}
}

func validateVerb() Verb {
	o := &ValidateOptions{Format: FormatNames()[0]}
	return Verb{
		Name: "validate", Mage: Targets,
		Args:  []Arg{{Name: "path", Value: &o.Path, Option: "path", Help: "what to validate (default: the plugin in this directory); \"-\" reads plugin.json from standard input"}},
		Short: "Check plugin.json and the files it refers to",
		Long: "Check plugin.json and the files it refers to. The path is a plugin repository, a dist\n" +
			"directory, a zip, a plugin.json or a directory of plugins; the default is the current\n" +
			"directory. If the path is -, plugin.json is read from standard input.\n\n" +
			"Exit status: 0 no errors, 1 errors, 2 invalid usage, 3 a check could not run.",
		Example: "  slipway validate\n" +
			"  slipway validate --fix\n" +
			"  slipway validate --format=sarif --output=slipway.sarif plugins",
		Options: []Option{
			{Name: "format", Value: &o.Format, Help: "format of the report: text, json, sarif, junit or github", Complete: oneOf(FormatNames)},
			{Name: "output", Value: &o.Output, Help: "write the report to this file"},
			profileOption(&o.Profile),
			{Name: "strict", Value: &o.Strict, Help: "treat warnings as errors"},
			{Name: "fix", Value: &o.Fix, Help: "apply the safe fixes, then report the remaining findings"},
			{Name: "all", Value: &o.All, Help: "let fix change several plugin repositories"},
			{Name: "verbose", Short: "v", Value: &o.Verbose, Help: "list the rules that did not run"},
			{Name: "diff", Value: &o.Diff, Help: "print what fix would change; exit with status 1 if there is anything to change"},
			{Name: "config", Value: &o.Config, Help: "configuration file (default: the nearest slipway.yaml)", Complete: files("yaml", "yml")},
			{Name: "key", Value: &o.Key, Help: "file with ed25519 public keys, one of which must have signed a zip or a dist with MANIFEST.json"},
			{Name: "baseline", Value: &o.Baseline, Help: "omit the findings recorded in this file", Complete: files("json")},
			{Name: "write-baseline", Value: &o.WriteBaseline, Help: "record all findings in this file, for the option baseline", Complete: files("json")},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return Validate(ctx, c.Stdout, *o) },
	}
}

func rulesVerb() Verb {
	return Verb{
		Name: "rules", Mage: Targets,
		Short: "List the rules of validate",
		Run:   func(_ context.Context, c Call) error { return Rules(c.Stdout) },
	}
}

func explainVerb() Verb {
	rule := new(string)
	return Verb{
		Name: "explain", Mage: Targets,
		Args:     []Arg{{Name: "rule", Value: rule, IsRequired: true}},
		Short:    "Explain a rule: its purpose, how to fix its findings, and an example",
		Example:  "  slipway explain path-missing",
		Complete: firstOf(ruleNames),
		Run:      func(_ context.Context, c Call) error { return Explain(c.Stdout, *rule) },
	}
}

func schemaVerb() Verb {
	o := &SchemaOptions{}
	return Verb{
		Name: "schema", Mage: Targets,
		Args:  []Arg{{Name: "plugin|config", Value: &o.What, Option: "what", Help: "schema to write: plugin or config (default: both)"}},
		Short: "Write JSON Schemas for plugin.json and slipway.yaml",
		Long: "Write JSON Schemas for plugin.json and slipway.yaml, which editors use to complete and check\n" +
			"these files. Without an argument it writes both. Refer to them from the files:\n\n" +
			"  plugin.schema.json   in src/plugin.json:  \"$schema\": \"../plugin.schema.json\",\n" +
			"  slipway.schema.json  in slipway.yaml:     # yaml-language-server: $schema=slipway.schema.json",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "directory to write to (default: this directory)", Complete: Completion{Dirs: true}},
			profileOption(&o.Profile),
		},
		Complete: firstOf(SchemaNames),
		Face:     &o.Face,
		Run:      func(_ context.Context, c Call) error { return Schema(c.Stdout, *o) },
	}
}

func depsVerb(b Bundler) Verb {
	o := &DepsOptions{Bundler: b}
	return Verb{
		Name: "deps", Mage: Targets,
		Short: "Download the packages that the frontend imports",
		Long: "Download the packages that the frontend imports, at the versions specified by\n" +
			"package-lock.json, yarn.lock or pnpm-lock.yaml, into a cache that repositories share. Packages\n" +
			"that only tests or other tools need are left out, and no scripts are run. A repository with\n" +
			"node_modules needs no download.",
		Options: []Option{dirOption(&o.Dir)},
		Face:    &o.Face,
		Run:     func(ctx context.Context, c Call) error { return Deps(ctx, c.Stdout, *o) },
	}
}

func buildVerb(b Bundler) Verb {
	o := &BuildOptions{Bundler: b}
	return Verb{
		Name: "build", Mage: Targets,
		Short: "Build the plugin into dist",
		Long: "Build a plugin repository: write its executables, frontend, assets and plugin.json to\n" +
			"dist. TypeScript is bundled without Node.js. The same commit produces the same files in any\n" +
			"directory.\n\n" +
			"Build settings come from the keys \"backend\" and \"frontend\" in the nearest slipway.yaml; the\n" +
			"schema command writes a schema that describes them. A build runs the plugin's code: it starts\n" +
			"the executable for this machine to check that it completes the handshake, and runs the command\n" +
			"under \"frontend\", if one is set.",
		Example: "  slipway build\n" +
			"  slipway build --platforms=linux/amd64,windows/amd64\n" +
			"  slipway build --only=frontend",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "platforms", Value: &o.Platforms, Help: "all, host or a list such as linux/amd64,windows/amd64 (default: those in slipway.yaml, or all)", Complete: listOf(PlatformNames)},
			{Name: "add", Value: &o.Add, Help: "also build for the platforms of the executables in dist"},
			{Name: "only", Value: &o.Only, Help: "build only the backend or the frontend, and keep the rest of dist", Complete: oneOf(SideNames)},
			{Name: "debug", Value: &o.Debug, Help: "build executables for a debugger"},
			{Name: "explain", Value: &o.Explain, Help: "print why each step runs"},
			profileOption(&o.Profile),
		},
		Face: &o.Face,
		Run: func(ctx context.Context, c Call) error {
			o.In = Terminal(c.Stdin)
			_, err := Build(ctx, c.Stdout, *o)
			return err
		},
	}
}

func packageVerb() Verb {
	o := &PackageOptions{}
	return Verb{
		Name: "package", Mage: Targets,
		Short: "Pack the built plugin for distribution",
		Long: "Pack dist into a zip for all platforms and one per platform, each with a manifest and\n" +
			"checksums, and write an SBOM. The same dist produces the same bytes. A plugin whose zip has\n" +
			"errors is not packed. With a key, the manifests are signed in the format of minisign.",
		Example: "  slipway build && slipway package\n" +
			"  slipway package --key=release-key.pem --out=/tmp/release",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "out", Value: &o.Out, Help: "directory to write to (default: release in the repository)"},
			{Name: "key", Value: &o.Key, Help: signHelp},
		},
		Face: &o.Face,
		Run:  func(ctx context.Context, c Call) error { return Package(ctx, c.Stdout, *o) },
	}
}

func signVerb() Verb {
	o := &SignOptions{}
	return Verb{
		Name: "sign", Mage: Targets,
		Short: "Sign the built plugin and its zips",
		Long: "Sign the built plugin: write MANIFEST.json and its signature to dist, and add the signature to\n" +
			"the zips of the same version in release. The signatures have the format of minisign. The key\n" +
			"is an ed25519 key without a passphrase, such as one from \"ssh-keygen -t ed25519\" or \"openssl\n" +
			"genpkey -algorithm ed25519\".",
		Example: "  slipway sign --key=release-key\n" +
			"  slipway sign --key=release-key --path=acme-tide-app-1.0.0.zip",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "path", Value: &o.Path, Help: "sign only this dist, zip or directory of zips"},
			{Name: "key", Value: &o.Key, Help: signHelp},
		},
		Face: &o.Face,
		Run:  func(_ context.Context, c Call) error { return Sign(c.Stdout, *o) },
	}
}

func verifyVerb() Verb {
	o := &VerifyOptions{}
	return Verb{
		Name: "verify", Mage: Targets,
		Args:  []Arg{{Name: "path", Value: &o.Path, Option: "path", Help: "verify only this dist, zip or directory of zips"}},
		Short: "Compare packaged plugins with their manifests, checksums and signatures",
		Long: "Compare packaged plugins with their manifests, checksums and signatures. The path is a zip, a\n" +
			"directory of zips, or a dist with MANIFEST.json; the default is what sign signs: dist and the\n" +
			"zips of the same version in release. With a key, one of the keys in the file must have signed\n" +
			"each plugin; without one, signatures are not verified.\n\n" +
			"Exit status: 0 nothing differs, 1 something differs, 2 invalid usage.",
		Example: "  slipway verify\n" +
			"  slipway verify --key=release-key.pub acme-tide-app-1.0.0.zip",
		Options: []Option{dirOption(&o.Dir), {Name: "key", Value: &o.Key, Help: trustHelp}},
		Face:    &o.Face,
		Run:     func(_ context.Context, c Call) error { return Verify(c.Stdout, *o) },
	}
}

func testVerb() Verb {
	o := &TestOptions{}
	return Verb{
		Name: "test", Mage: Workflow,
		Short: "Run the tests of a plugin repository",
		Long: "Run the Go tests of a plugin repository, and the test script of package.json if its packages\n" +
			"are installed in node_modules. With the options race or coverage, only the Go tests run.",
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
		Run: func(ctx context.Context, c Call) error { return Test(ctx, c.Stdout, *o) },
	}
}

// dirVerbs are the verbs that take nothing but the directory of a plugin repository.
func dirVerbs() (list []Verb) {
	for _, v := range []struct {
		Verb
		run func(ctx context.Context, c Call, dir string) error
	}{
		{Verb{
			Name: "lint", Mage: Workflow, Short: "Check the Go code of a plugin repository",
			Long: "Run go vet, and golangci-lint and staticcheck if go.mod lists them as tools or the repository\n" +
				"has their configuration files.",
		}, func(ctx context.Context, c Call, dir string) error { return Lint(ctx, c.Stdout, dir) }},
		{Verb{
			Name: "format", Mage: Workflow, Short: "Format the Go files of a plugin repository",
			Long: "Format the Go files of a plugin repository as gofmt does, and list those that changed.",
		}, func(_ context.Context, c Call, dir string) error { return Format(c.Stdout, dir) }},
		{Verb{
			Name: "clean", Mage: Workflow, Short: "Remove what builds and tests wrote",
			Long: "Remove the directories dist and coverage, and the record of the last build. A directory\n" +
				"with files that Git tracks is kept.",
		}, func(ctx context.Context, c Call, dir string) error { return Clean(ctx, c.Stdout, dir) }},
		{Verb{
			Name: "gosums", IsHidden: true, // the target build:generateManifestFile
			Short: "Write dist/go_plugin_build_manifest, which Grafana's catalog asks for",
		}, func(_ context.Context, c Call, dir string) error { return GoSums(c.Stdout, dir) }},
	} {
		dir := new(string)
		v.Options = []Option{dirOption(dir)}
		v.Run = func(ctx context.Context, c Call) error { return v.run(ctx, c, *dir) }
		list = append(list, v.Verb)
	}
	return list
}
