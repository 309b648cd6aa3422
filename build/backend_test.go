package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const (
	mainText   = "package main\n\nfunc main() {}\n"
	pluginText = "package main\n\nimport _ \"github.com/slipway-dev/slipway/sdk\"\n\nfunc main() {}\n"
	goMod      = "module example.com/x\n\ngo 1.26\n"
)

// TestMainPackages requires that the main package of each backend is found where
// repositories have it, with its module.
func TestMainPackages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string // instead of go.mod and pkg/main.go
		config config.Backend
		want   []string // output, directory of the module and package
	}{
		"pkg before cmd":         {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "cmd/main.go": mainText}, config.Backend{}, []string{"gpx_x . ./pkg"}},
		"another file name":      {map[string]string{"go.mod": goMod, "pkg/plugin.go": mainText}, config.Backend{}, []string{"gpx_x . ./pkg"}},
		"pkg is a library":       {map[string]string{"go.mod": goMod, "pkg/main.go": "package pkg\n", "backend/x.go": mainText}, config.Backend{}, []string{"gpx_x . ./backend"}},
		"cmd by executable":      {map[string]string{"go.mod": goMod, "cmd/gpx_x/x.go": mainText, "cmd/tool/x.go": mainText}, config.Backend{}, []string{"gpx_x . ./cmd/gpx_x"}},
		"cmd by plugin id":       {map[string]string{"go.mod": goMod, "cmd/acme-x-datasource/x.go": mainText, "cmd/tool/x.go": mainText}, config.Backend{}, []string{"gpx_x . ./cmd/acme-x-datasource"}},
		"root beside a magefile": {map[string]string{"go.mod": goMod, "main.go": mainText, "magefile.go": "//go:build mage\n\npackage main\n"}, config.Backend{}, []string{"gpx_x . ."}},
		"only a magefile in the root": {map[string]string{"go.mod": goMod, "magefile.go": "//go:build mage\n// +build mage\n\npackage main\n", "deep/down/x.go": mainText},
			config.Backend{}, []string{"gpx_x . ./deep/down"}},
		"the only one that serves plugins": {map[string]string{"go.mod": goMod, "tools/gen/main.go": mainText, "server/main.go": pluginText}, config.Backend{}, []string{"gpx_x . ./server"}},
		"module in a subdirectory":         {map[string]string{"backend/go.mod": goMod, "backend/main.go": mainText}, config.Backend{}, []string{"gpx_x backend ."}},
		"module above the main package":    {map[string]string{"go/go.mod": goMod, "go/cmd/srv/main.go": mainText}, config.Backend{}, []string{"gpx_x go ./cmd/srv"}},
		"module above the repository":      {map[string]string{"../go.mod": goMod, "pkg/main.go": mainText}, config.Backend{}, []string{"gpx_x .. ./repo/pkg"}},
		"named":                            {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "a b/main.go": mainText}, config.Backend{Main: map[string]string{"": "a b"}}, []string{"gpx_x . ./a b"}},
		"named outside of the repository":  {map[string]string{"../go.mod": goMod, "../srv/main.go": mainText}, config.Backend{Main: map[string]string{"acme-x-datasource": "../srv"}}, []string{"gpx_x .. ./srv"}},
		"nested plugins, by executable": {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "cmd/gpx_y/main.go": mainText, "src/y/plugin.json": nested(`"bin/gpx_y"`)},
			config.Backend{}, []string{"gpx_x . ./pkg", "y/bin/gpx_y . ./cmd/gpx_y"}},
		"nested plugins, executable above": {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "other/main.go": mainText, "src/y/plugin.json": nested(`"../gpx_y"`)},
			config.Backend{}, []string{"gpx_x . ./pkg", "gpx_y . ./other"}},
		"nested plugins, in their directory": {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "src/y/plugin.json": nested(`"gpx_y"`), "src/y/pkg/main.go": mainText},
			config.Backend{}, []string{"gpx_x . ./pkg", "y/gpx_y . ./src/y/pkg"}},
		"nested plugins, the same executable": {map[string]string{"go.mod": goMod, "pkg/main.go": mainText, "src/y/plugin.json": nested(`"../gpx_x"`)},
			config.Backend{}, []string{"gpx_x . ./pkg"}},
		"nested plugins, named": {map[string]string{"go.mod": goMod, "a/main.go": mainText, "b/main.go": mainText, "src/y/plugin.json": nested(`"gpx_y"`)},
			config.Backend{Main: map[string]string{"acme-x-datasource": "b", "acme-y-datasource": "a"}}, []string{"gpx_x . ./b", "y/gpx_y . ./a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustPlan(t, layout(t, c.files, c.config))
			var got []string
			for _, command := range p.Commands {
				name, _ := strings.CutSuffix(command.Output, "_linux_s390x")
				got = append(got, strings.Join([]string{name, filepath.ToSlash(p.relative(command.module)), command.Args[len(command.Args)-1]}, " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("backends (-want +got):\n%s", diff)
			}
		})
	}
}

// A file of the main package may be a symbolic link, as for the go command.
func TestLinkedMainPackage(t *testing.T) {
	t.Parallel()
	o := layout(t, map[string]string{"go.mod": goMod, "shared/main.txt": mainText, "pkg/README.md": ""}, config.Backend{})
	testkit.OK(t, os.Symlink("../shared/main.txt", filepath.Join(o.Dir, "pkg", "main.go")))
	p := mustPlan(t, o)
	if got := p.Commands[0].Args[len(p.Commands[0].Args)-1]; got != "./pkg" {
		t.Errorf("the main package is %s", got)
	}
}

// layout makes a plugin repository with other Go files and returns options to build it for
// one platform.
func layout(t *testing.T, files map[string]string, b config.Backend) Options {
	t.Helper()
	dir := repo(t)
	for _, name := range []string{"go.mod", "pkg"} {
		testkit.OK(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	testkit.WriteFiles(t, dir, files)
	o := options(dir, bundle.Platform{OS: "linux", Arch: "s390x"})
	o.Backend, o.ConfigDir = b, dir
	return o
}

func TestNoMainPackage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string
		config config.Backend
		want   []string
	}{
		"several": {map[string]string{"go.mod": goMod, "a/x.go": mainText, "b/x.go": mainText, "testdata/c/x.go": mainText},
			config.Backend{}, []string{"2 directories hold a main package: a, b;", "backend:\n    main: a"}},
		"several that serve plugins": {map[string]string{"go.mod": goMod, "a/x.go": mainText, "b/x.go": pluginText, "c/x.go": pluginText},
			config.Backend{}, []string{"2 directories hold a main package: b, c;"}},
		"several for a nested plugin": {map[string]string{"go.mod": goMod, "pkg/x.go": mainText, "a/x.go": mainText, "b/x.go": mainText, "src/y/plugin.json": nested(`"gpx_y"`)},
			config.Backend{}, []string{"y/plugin.json", "main:\n      acme-y-datasource: a"}},
		"none":                    {map[string]string{"go.mod": goMod, "lib/x.go": "package lib\n", "lib/x_test.go": mainText}, config.Backend{}, []string{"no directory of"}},
		"no go.mod":               {map[string]string{"pkg/x.go": mainText}, config.Backend{}, []string{"neither pkg nor a directory above it has a go.mod: restore it, or"}},
		"another package":         {map[string]string{"go.mod": goMod, "pkg/main.go": "// Package x.\npackage x\n"}, config.Backend{}, []string{"pkg/main.go:2:9: this is package x, but a backend is a main package: write package main"}},
		"named, but not there":    {map[string]string{"go.mod": goMod, "pkg/x.go": mainText}, config.Backend{Main: map[string]string{"": "server"}}, []string{"slipway.yaml names server", "not a directory"}},
		"broken main.go compiles": {map[string]string{"pkg/main.go": "broken"}, config.Backend{}, []string{"has a go.mod"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := MakePlan(t.Context(), layout(t, c.files, c.config))
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want one containing %q", err, want)
				}
			}
		})
	}
}

func TestCompilerOptions(t *testing.T) {
	t.Parallel()
	o := options(repo(t), bundle.Platform{OS: "windows", Arch: "arm64"})
	o.Backend.Tags, o.Backend.Env, o.Backend.Cgo = []string{"a", "b"}, []string{"CC=zig cc"}, true
	for _, c := range []struct {
		ldflags string
		isDebug bool
		want    []string
	}{
		{"-X main.v=1", false, []string{"build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false -d=gcstart=512", "-ldflags=-s -w -X main.v=1", "-tags=a,b", "./pkg"}},
		{"-X main.v=1", true, []string{"build", "-buildvcs=false", "-gcflags=all=-N -l", "-ldflags=-X main.v=1", "-tags=a,b", "./pkg"}},
		{"-w=false", false, []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -w=false", "-tags=a,b", "./pkg"}}, // the author wants debugging information
	} {
		o.Backend.LDFlags, o.Debug = c.ldflags, c.isDebug
		command := mustPlan(t, o).Commands[0]
		if diff := cmp.Diff(c.want, command.Args); diff != "" {
			t.Errorf("arguments (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"CC=zig cc", "CGO_ENABLED=1", "GOOS=windows", "GOARCH=arm64"}, command.Env); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
	}
}

// A backend of Grafana's SDK gets the variables that the build of the SDK sets, insofar as they
// depend only on the commit.
func TestGrafanaSDK(t *testing.T) {
	t.Parallel()
	const sdk = bundle.GrafanaModule + " v0.296.3"
	for text, want := range map[string]bool{
		"require " + sdk + "\n":                                          true,
		"require (\n\texample.com/a v1.0.0\n\t" + sdk + "\r\n)\n":        true,
		"require (\n\t" + sdk + " // pinned\n)\n":                        true,
		"require (\n\t" + sdk + " // indirect\n)\n":                      false,
		"require " + sdk + " //indirect; why\n":                          false,
		"// require " + sdk + "\n":                                       false,
		"require " + bundle.GrafanaModule + "/v2 v2.0.0\n":               false,
		"replace " + bundle.GrafanaModule + " => ../x\n":                 false,
		"require (\n\texample.com/a v1.0.0 // " + sdk + "\n)\n":          false,
		"replace example.com/a => github.com/grafana/other v0.296.3\n\n": false,
	} {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "go.mod"), goMod+text)
		if usesGrafanaSDK(dir) != want {
			t.Errorf("%q: uses the SDK: %t", text, !want)
		}
	}

	dir := repo(t)
	testkit.WriteFiles(t, dir, map[string]string{
		"go.mod":                     goMod + "\nrequire " + bundle.GrafanaModule + " v0.0.0\n\nreplace " + bundle.GrafanaModule + " => ./sdk\n",
		"sdk/go.mod":                 "module " + bundle.GrafanaModule + "\n\ngo 1.26\n",
		"sdk/build/buildinfo/new.go": "package buildinfo\n\nvar buildInfoJSON string\n\nfunc Text() string { return buildInfoJSON }\n",
		"sdk/build/old.go":           "package build\n\nvar buildInfoJSON string\n\nfunc Text() string { return buildInfoJSON }\n",
		"pkg/main.go": "package main\n\nimport (\n\t\"" + bundle.GrafanaModule + "/build\"\n\t\"" + bundle.GrafanaModule + "/build/buildinfo\"\n)\n\n" +
			"var pluginID, version, mine string\n\nfunc main() { println(pluginID, version, mine, build.Text() == buildinfo.Text(), build.Text()) }\n",
	})
	o := options(dir, bundle.Host())
	o.Backend.LDFlags = "-X main.mine=1"
	hash := ""
	for _, step := range []struct {
		name, want string
		change     func()
		isCurrent  bool
	}{
		{"outside of git", `acme-x-datasource 1.2.3 1 true {"pluginID":"acme-x-datasource","version":"1.2.3"}`, func() {}, false},
		{"a later day", `acme-x-datasource 1.2.3 1 true {"pluginID":"acme-x-datasource","version":"1.2.3"}`, func() { o.Now = time.Now }, true},
		{"a date", `acme-x-datasource 1.2.3 1 true {"time":1000,"pluginID":"acme-x-datasource","version":"1.2.3"}`, func() { o.Environ = append(os.Environ(), "SOURCE_DATE_EPOCH=1") }, false},
		{"a commit", `acme-x-datasource 1.2.3 1 true {"time":1772600767000,"pluginID":"acme-x-datasource","version":"1.2.3","hash":"HEAD"}`, func() { o.Environ = nil; commit(t, dir) }, false},
		{"another CI run", `acme-x-datasource 1.2.3 1 true {"time":1772600767000,"pluginID":"acme-x-datasource","version":"1.2.3","hash":"HEAD"}`, func() { o.Environ = append(os.Environ(), "GITHUB_RUN_NUMBER=7", "GITHUB_REF=refs/heads/other") }, true},
		{"a version", `acme-x-datasource 1.2.4 1 true {"time":1772600767000,"pluginID":"acme-x-datasource","version":"1.2.4","hash":"HEAD"}`, func() {
			testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.Replace(metadata, "1.2.3", "1.2.4", 1))
		}, false},
		{"a debugger", `acme-x-datasource 1.2.4 1 true {"time":1772600767000,"pluginID":"acme-x-datasource","version":"1.2.4","hash":"HEAD"}`, func() { o.Debug = true }, false},
	} {
		step.change()
		r := mustBuild(t, o)
		if e := r.Executables[0]; e.UpToDate != step.isCurrent {
			t.Errorf("%s: up to date is %t", step.name, e.UpToDate)
		}
		out, err := exec.CommandContext(t.Context(), filepath.Join(r.Dist, r.Executables[0].File)).CombinedOutput()
		if step.name == "a commit" {
			p := mustPlan(t, o)
			hash = p.Info.Build.Hash
		}
		step.want = strings.Replace(step.want, "HEAD", hash, 1)
		if err != nil || strings.TrimSpace(string(out)) != step.want {
			t.Errorf("%s: the backend printed %s, want %s (%v)", step.name, out, step.want, err)
		}
	}
}

// TestDebug requires that a build for a debugger and one for release replace each other,
// and that settings of the compiler count.
func TestDebug(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nvar text = \"one\"\n\nfunc main() { println(text) }\n")
	o := options(dir, bundle.Host())
	sizes := map[string]int64{}
	for _, step := range []struct {
		name, same string
		change     func()
		isCurrent  bool
	}{
		{"release", "", func() {}, false},
		{"debug", "", func() { o.Debug = true }, false},
		{"debug again", "debug", func() {}, true},
		{"release again", "release", func() { o.Debug = false }, false},
		{"release, unchanged", "release", func() {}, true},
		{"with an environment", "release", func() { o.Backend.Env = []string{"GOARM=5"} }, true}, // compiles nothing again
	} {
		step.change()
		e := mustBuild(t, o).Executables[0]
		sizes[step.name] = e.Size
		if e.UpToDate != step.isCurrent {
			t.Errorf("%s: up to date is %t", step.name, e.UpToDate)
		}
	}
	if sizes["debug"] <= sizes["release"] || sizes["release again"] != sizes["release"] {
		t.Errorf("sizes %v: a debug build must be larger, and the next release like the first", sizes)
	}
}

// TestModules requires that backends of modules outside of the root are built, and again
// when they change.
func TestModules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string
		edited string
	}{
		"in a subdirectory": {map[string]string{"backend/go.mod": goMod, "backend/main.go": mainText}, "backend/main.go"},
		"above":             {map[string]string{"../go.mod": goMod, "pkg/main.go": mainText}, "pkg/main.go"},
		"workspace": {map[string]string{
			"go.work": "go 1.26\n\nuse (\n\t./backend\n\t./lib\n)\n", "lib/go.mod": "module example.com/lib\n\ngo 1.26\n", "lib/lib.go": "package lib\n\nconst Text = 1\n",
			"backend/go.mod": goMod, "backend/main.go": "package main\n\nimport \"example.com/lib\"\n\nfunc main() { println(lib.Text) }\n",
		}, "lib/lib.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := layout(t, c.files, config.Backend{SkipCheck: true})
			o.Platforms = []bundle.Platform{bundle.Host()}
			o.Environ = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOWORK=") }), "GOFLAGS=")
			if mustBuild(t, o).Executables[0].UpToDate {
				t.Error("the first executable is up to date")
			}
			if !mustBuild(t, o).Executables[0].UpToDate {
				t.Error("unchanged, but not up to date")
			}
			file := filepath.Join(o.Dir, filepath.FromSlash(c.edited))
			text := testkit.Must(os.ReadFile(file))(t)
			testkit.WriteFile(t, file, strings.NewReplacer("{}", "{ println(2) }", "= 1", "= 2").Replace(string(text)))
			if mustBuild(t, o).Executables[0].UpToDate {
				t.Error("changed, but up to date")
			}
		})
	}
}
