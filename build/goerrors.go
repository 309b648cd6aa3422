package build

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/text"
)

var (
	offline     = regexp.MustCompile(`(\S+@v\S+?): .*(?:Get|Head) "https?://([^/"]+)[^"]*": (.*)$`)
	notReplaced = regexp.MustCompile(`(\S+@v\S+?): replacement directory (\S+) does not exist$`)
)

// explainGo adds to the output of the go command what to do about failures that are not in the code,
// and says once what it says for each import.
func explainGo(output string) string {
	var rest, modules, replaced []string
	var registry, cause, help string
	for line := range strings.SplitSeq(output, "\n") {
		if m := offline.FindStringSubmatch(line); m != nil {
			modules, registry, cause = append(modules, m[1]), m[2], m[3]
			continue
		}
		if m := notReplaced.FindStringSubmatch(line); m != nil {
			module, _, _ := strings.Cut(m[1], "@")
			replaced = append(replaced, fmt.Sprintf("go.mod replaces %s with the directory %s, which does not exist: correct the replace directive",
				module, m[2]))
			continue
		}
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			continue
		case strings.Contains(line, "go.mod requires go >= "), strings.HasSuffix(line, ": toolchain not available"):
			help = "help: install that version of Go from go.dev/dl, or lower the go directive in go.mod"
		case strings.HasPrefix(line, "go: unsupported GOOS/GOARCH pair "):
			help = `help: "go tool dist list" prints the platforms that there are`
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

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
