package frontend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/validate/script"
)

// theme is a style sheet that the code loads with loadPluginCss when it runs.
type theme struct {
	file   string // in the sources, absolute
	output string // relative to the directory of the plugin in dist, slash-separated
}

// themePrefix begins the names that esbuild gives to style sheets of themes, before their index.
const themePrefix = "theme-"

// themeURL matches the URL of a style sheet: the id of the plugin, or what a program computes, and the path below it.
var themeURL = regexp.MustCompile(`^(?:.*plugins/([^/]+)/|\*+/?)([^*]+)\.css$`)

// findThemes notes the style sheets that a file loads: the values of "dark" and "light" that end in ".css", wherever
// a file with loadPluginCss has them. If it cannot tell which, they are those that grafana-toolkit built.
func (b *bundler) findThemes(file string, text []byte) (wrong, warnings []api.Message) {
	if !bytes.Contains(text, []byte("loadPluginCss")) {
		return nil, nil
	}
	f, err := script.Parse(file, text)
	if err != nil {
		return nil, nil // esbuild reports syntax errors
	}
	call, hasURL := -1, false
	for i := range f.Tokens {
		if _, isCall := f.Arguments(i); isCall && f.Is(i, "loadPluginCss") {
			call = i
		}
		if !slices.Contains([]string{"dark", "light"}, strings.Trim(f.Text(i), `"'`)) || !f.Is(i+1, ":") {
			continue
		}
		url := valueOf(f, i+2)
		if !strings.HasSuffix(url, ".css") {
			continue
		}
		hasURL = true
		m := api.Message{Location: b.location(file, f.Data, f.Tokens[i+2].From, 1)}
		if parts := themeURL.FindStringSubmatch(url); parts == nil || b.pluginDir(parts[1]) == "" {
			warnings = append(warnings, b.guessThemes(m))
		} else if missing := b.findTheme(parts[1], filepath.FromSlash(parts[2])); missing != "" {
			m.Text = "dist would lack " + parts[2] + ".css, which this loads"
			m.Notes = []api.Note{{Text: "add " + missing + " or .scss, of which a build makes it"}}
			wrong = append(wrong, m)
		}
	}
	if call >= 0 && !hasURL {
		warnings = append(warnings, b.guessThemes(api.Message{Location: b.location(file, f.Data, f.Tokens[call].From, len("loadPluginCss"))}))
	}
	return wrong, warnings
}

// guessThemes notes the usual style sheets, and completes a message about the place that loads others.
func (b *bundler) guessThemes(m api.Message) api.Message {
	for _, name := range []string{"dark", "light"} {
		b.findTheme("", filepath.Join("styles", name))
	}
	m.Text = "cannot tell which style sheets of the plugin this loads, so dist has styles/dark.css and light.css at most"
	m.Notes = []api.Note{{Text: fmt.Sprintf("write their paths as strings, such as 'plugins/%s/styles/dark.css'", b.PluginID)}}
	return m
}

// valueOf returns the text that the value of a key consists of, with stars for what a program computes.
func valueOf(f *script.File, first int) string {
	object := f.Tokens[first].Around
	var text strings.Builder
	for i := first; object >= 0 && i < f.Tokens[object].Pair; i++ {
		value, isLiteral := f.Literal(i, i)
		switch kind := f.Tokens[i].Kind; {
		case f.Is(i, ",") && f.Tokens[i].Around == object:
			return text.String()
		case isLiteral && !f.Is(i, "`"):
			text.WriteString(value)
		case kind == script.Template:
			text.WriteString(f.Text(i))
		case kind != script.Punct:
			text.WriteString("*")
		}
	}
	return text.String()
}

// findTheme notes the style sheet at a path below the directory of a plugin, or returns the name that is missing.
func (b *bundler) findTheme(id, name string) (missing string) {
	file := filepath.Join(b.pluginDir(id), name)
	for _, extension := range []string{".css", ".scss", ".sass"} {
		info, err := os.Stat(file + extension)
		to, errRel := filepath.Rel(b.Source, file)
		if slices.ContainsFunc(b.styles(), func(t theme) bool { return t.output == filepath.ToSlash(to)+".css" }) {
			return ""
		}
		if err == nil && errRel == nil && info.Mode().IsRegular() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.themes = append(b.themes, theme{file + extension, filepath.ToSlash(to) + ".css"})
			return ""
		}
	}
	return filepath.ToSlash(b.relative(file)) + ".css"
}

// pluginDir returns the source directory of this plugin, also for a computed id, or of the one around it, or "".
func (b *bundler) pluginDir(id string) string {
	switch {
	case id == b.PluginID || id == "" || strings.Contains(id, "*"):
		return b.Source
	case id == b.MapID:
		return b.MapDir
	}
	return ""
}
