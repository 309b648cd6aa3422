package frontend

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate/script"
)

// registrations returns statements that register the components of a file with React Fast Refresh, to
// be appended to it: window.$RefreshReg$ gets what is declared at the top level with a capital letter,
// and the name that identifies it in all bundles. The page decides what is a component.
func registrations(name string, text []byte) string {
	f, err := script.Parse(name, text)
	if err != nil {
		return "" // esbuild reports syntax errors
	}
	var names []string
	for i, t := range f.Tokens {
		if t.Around != -1 || !f.Is(i, "function", "class", "const", "let", "var") || f.Is(i-1, ".", "declare") || f.Is(i+1, "enum") {
			continue
		}
		declared := f.Text(i + 1)
		if declared != "" && 'A' <= declared[0] && declared[0] <= 'Z' && !slices.Contains(names, declared) {
			names = append(names, declared)
		}
	}
	var out strings.Builder
	for _, declared := range names {
		out.WriteString("\nwindow.$RefreshReg$?.(" + declared + "," + quote(name+" "+declared) + ");")
	}
	return out.String()
}
