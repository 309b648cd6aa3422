package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/text"
)

var (
	offline       = regexp.MustCompile(`(\S+@v\S+?): .*(?:Get|Head) "https?://([^/"]+)[^"]*": (.*)$`)
	notProvided   = regexp.MustCompile(`^(\S+: )?no required module provides package (\S+); to add it:$`)
	required      = regexp.MustCompile(`(?m)^\s*(?:require\s+)?(\S+/\S+)[ \t]+v`)
	noReplacement = regexp.MustCompile(`(\S+@v\S+?): replacement directory (\S+) does not exist$`)
)

// ExplainGo adds to the output of the go command what to do about failures that are not in the code,
// and says once what it says for each import. The go.mod of the module is in dir.
func ExplainGo(dir, output string) string {
	var rest, modules, replaced []string
	var registry, cause, help, wrong string
	lacking, isMore := 0, false // entries of go.sum, and whether the last line is about another than the first
	for line := range strings.SplitSeq(output, "\n") {
		if m := offline.FindStringSubmatch(line); m != nil {
			modules, registry, cause = append(modules, m[1]), m[2], m[3]
			continue
		}
		if m := noReplacement.FindStringSubmatch(line); m != nil {
			module, _, _ := strings.Cut(m[1], "@")
			replaced = append(replaced, fmt.Sprintf("go.mod replaces %s with the directory %s, which does not exist: correct the replace directive",
				module, m[2]))
			continue
		}
		if m := notProvided.FindStringSubmatch(line); m != nil {
			if module := moduleOf(dir, m[2]); module != "" {
				wrong = "\tgo get " + m[2] // which would not find the package either
				rest = append(rest, fmt.Sprintf("%s%s has no package %s in the version that go.mod requires: correct the import, or upgrade the module", m[1], module,
					strings.TrimPrefix(m[2], module+"/")))
				continue
			}
		}
		switch {
		case line == wrong:
			continue
		case strings.HasPrefix(line, "go: downloading "):
			continue
		case strings.Contains(line, "missing go.sum entry for module providing package "):
			if lacking++; lacking > 1 {
				isMore, help = true, fmt.Sprintf("help: run go mod tidy, which adds the entries for all %d imports", lacking)
				continue
			}
		case isMore && strings.HasPrefix(line, "\tgo get "):
			isMore = false
			continue
		case line == "malformed go.sum:":
			help = "help: restore go.sum, or delete it and run go mod tidy"
		case strings.Contains(line, " listed in go.work"):
			line, wrong = workFile(dir)+` does not list the module of this plugin: run "go work use ." in its directory, or set GOWORK=off`, "\tgo work use ."
		case strings.Contains(line, "go.mod requires go >= "), strings.HasSuffix(line, ": toolchain not available"):
			help = "help: install that version of Go from go.dev/dl, or lower the go directive in go.mod"
		case strings.Contains(line, "build constraints exclude all Go files in "):
			help = "help: if its files need C, write \"backend: {cgo: true}\" in slipway.yaml, and build on a machine with a C compiler for the platform"
		case strings.HasPrefix(line, "go: unsupported GOOS/GOARCH pair "):
			help = `help: choose one of those that "go tool dist list" prints`
		}
		rest = append(rest, line)
	}
	if modules = distinct(modules); len(modules) > 0 {
		if i := strings.LastIndex(cause, ": "); strings.HasPrefix(cause, "dial ") && i >= 0 {
			cause = cause[i+2:] // the rest is the address of a name server
		}
		rest = append(rest, fmt.Sprintf("Go could not download %s from %s (%s): connect to the network, or set GOPROXY\n  %s",
			text.Plural(len(modules), "module"), registry, cause, strings.Join(modules, "\n  ")))
	}
	rest = append(rest, distinct(replaced)...)
	if help != "" {
		rest = append(rest, help)
	}
	return strings.TrimSpace(strings.Join(rest, "\n"))
}

// workFile returns the path from dir to the nearest go.work above it.
func workFile(dir string) string {
	const name = "go.work"
	rel := name
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, name)); err == nil {
			return filepath.ToSlash(rel)
		}
		rel = filepath.Join("..", rel)
	}
	return name // that of GOWORK
}

// moduleOf returns the module of a package by its path among those that the go.mod in a directory requires, or "".
func moduleOf(dir, name string) string {
	data, _ := limit.ReadSettings(filepath.Join(dir, "go.mod")) // the go command reports the error
	for _, m := range required.FindAllSubmatch(data, -1) {
		if module := string(m[1]); strings.HasPrefix(name, module+"/") {
			return module
		}
	}
	return ""
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
