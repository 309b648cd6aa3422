package inspect

import (
	"bytes"
	"go/ast"
	"path"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/script"
)

// CalledRoute is a path of the host's HTTP API in the code of a plugin.
type CalledRoute struct {
	Path  string // such as "/api/datasources/${id}/health"; a substitution of Go is %d or %s
	File  []byte // the code around it
	Range HostRange
	Place func() validate.Place
}

// pathOfAPI matches a path of the API at the beginning of a string.
var pathOfAPI = regexp.MustCompile("^/?(api/(?:[A-Za-z0-9_.~:/%-]|\\$\\{[^{}`]{0,200}\\})+)")

// hostAPI is the client of the API of hosts in Slipway's SDK.
const hostAPI = "github.com/slipway-dev/slipway/sdk/hostapi"

// EachRoute calls check with every path of the host's HTTP API that begins a string of the frontend or
// the backend. Of the Go files, only those count that read the host's address: any other path may be one
// of the service that the plugin calls.
func EachRoute(p *validate.Pass, check func(CalledRoute)) {
	if p.Where != validate.Source {
		routesOfModule(p, check)
		return
	}
	EachScript(p, func(s *Script) { routesOfScript(p, s, check) }, "api/")
	EachGoFile(p, func(f *GoFile) { routesOfGo(p, f, check) }, "AppURL", "GF_APP_URL", "PlaylistDashboards")
}

func routesOfScript(p *validate.Pass, s *Script, check func(CalledRoute)) {
	for i, t := range s.Tokens {
		span := script.Span{From: t.From}
		first := i // token of the string
		switch {
		case t.Kind == script.String:
			span.From++ // the quote
		case t.Kind == script.Template && s.Is(i-1, "`"):
			first--
		default:
			continue
		}
		m := pathOfAPI.FindSubmatch(s.Data[span.From:])
		if m == nil || s.Is(first-1, "+") {
			continue
		}
		span.To = span.From + len(m[0])
		hosts := hostRangeIn(p, path.Dir(s.Name))
		check(CalledRoute{"/" + string(m[1]), s.Data, hosts, func() validate.Place { return s.Place(p, span) }})
	}
}

// routesOfModule looks for the paths in module.js, which may be large. After a plus or comma, a path may
// continue another string.
func routesOfModule(p *validate.Pass, check func(CalledRoute)) {
	module := Module.Of(p)
	for at := 0; ; at++ {
		next := bytes.Index(module.Data[at:], []byte("api/"))
		if next < 0 {
			return
		}
		at += next
		from := len(bytes.TrimSuffix(module.Data[:at], []byte("/")))
		before := bytes.TrimRight(module.Data[:max(from-1, 0)], " \n")
		if from == 0 || !bytes.ContainsAny(module.Data[from-1:from], "\"'`") || bytes.HasSuffix(before, []byte("+")) ||
			bytes.HasSuffix(before, []byte(",")) {
			continue
		}
		if m := pathOfAPI.FindSubmatch(module.Data[from:]); m != nil {
			to := from + len(m[0])
			place := func() validate.Place { return PlaceIn(p, module.File, module.Data, from, to) }
			check(CalledRoute{"/" + string(m[1]), module.Data, HostRanges.Of(p), place})
		}
	}
}

func routesOfGo(p *validate.Pass, f *GoFile, check func(CalledRoute)) {
	report := func(path string, n ast.Node) {
		check(CalledRoute{path, f.code.Data, HostRanges.Of(p), func() validate.Place { return f.Place(p, n) }})
	}
	for n := range ast.Preorder(f.Syntax) {
		switch n := n.(type) {
		case *ast.BasicLit:
			text, _ := f.StringOf(n)
			if m := pathOfAPI.FindStringSubmatch(strings.TrimPrefix(text, "%s")); m != nil {
				report("/"+m[1], n)
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "PlaylistDashboards" && f.importName(hostAPI) != "" {
				report("/api/playlists/%s/dashboards", n)
			}
		}
	}
}
