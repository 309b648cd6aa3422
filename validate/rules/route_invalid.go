package rules

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

func routeInvalid() validate.Rule {
	return validate.Rule{
		ID:       "route-invalid",
		Severity: validate.Warning,
		Summary:  "routes name methods that there are, a full address, and headers with name and content",
		Why:      "The service forwards requests by these routes. One that it cannot make sense of answers every request with an error, or sends it without its header.",
		Help:     "correct the route",
		Check: func(p *validate.Pass) {
			for _, route := range p.Doc.Items("/routes") {
				checkMethods(p, route+"/method")
				checkAddress(p, route+"/url")
				checkAddress(p, route+"/tokenAuth/url")
				checkAddress(p, route+"/jwtTokenAuth/url")
				for _, header := range p.Doc.Items(route + "/headers") {
					checkHeader(p, header)
				}
			}
		},
	}
}

// checkMethods reads a list such as "GET, POST"; * is every method.
func checkMethods(p *validate.Pass, pointer string) {
	text, ok := p.Doc.Text(pointer)
	if !ok || text == "" {
		return
	}
	known := strings.Fields("GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE *")
	at := 0
	for part := range strings.SplitSeq(text, ",") {
		method := strings.TrimSpace(part)
		from := at + strings.Index(part, method)
		at += len(part) + 1
		if slices.Contains(known, strings.ToUpper(method)) {
			continue
		}
		f := validate.Finding{
			Place:   p.Within(pointer, from, from+len(method)),
			Message: fmt.Sprintf("%q is not a method of HTTP", method),
			Help:    "write GET, or several with commas between them, or * for all",
		}
		if near := nearest.Name(method, known); near != "" {
			f.Help = fmt.Sprintf("did you mean %s?", near)
		}
		p.Report(f)
	}
}

// checkAddress wants http or https and a host. What a template puts in is not known.
func checkAddress(p *validate.Pass, pointer string) {
	text, ok := p.Doc.Text(pointer)
	if !ok {
		return
	}
	report := func(problem string) {
		p.Report(validate.Finding{
			Place:   p.Value(pointer),
			Message: fmt.Sprintf("the address %q %s", text, problem),
			Help:    "write a full address, such as https://api.example.com or {{ .JsonData.url }}",
		})
	}
	switch before, after, isTemplate := strings.Cut(text, "{{"); {
	case strings.TrimSpace(text) == "":
		report("is empty")
	case isTemplate && !strings.Contains(after, "}}"):
		report("begins a template with {{ that no }} ends")
	case isTemplate && (before == "" || strings.HasPrefix(before, "http://") || strings.HasPrefix(before, "https://")):
	default:
		to, err := url.Parse(text)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			report("does not begin with http:// or https:// and a host")
		}
	}
}

// checkHeader wants name and content. The contract does not say what else a header
// may be, so this is no error.
func checkHeader(p *validate.Pass, pointer string) {
	name, hasName := p.Doc.Text(pointer + "/name")
	_, hasContent := p.Doc.Text(pointer + "/content")
	if hasName && name != "" && hasContent {
		return
	}
	p.Report(validate.Finding{
		Place:   p.Opening(pointer),
		Message: "this header lacks a name or its content, both texts in quotes",
		Help:    "write { \"name\": \"X-Name\", \"content\": \"value\" }",
	})
}
