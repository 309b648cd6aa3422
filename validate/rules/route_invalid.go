package rules

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

func routeInvalid(p *validate.Pass) {
	for _, route := range p.Doc.Items("/routes") {
		checkMethods(p, route+"/method")
		checkAddress(p, route+"/url")
		checkAddress(p, route+"/tokenAuth/url")
		checkAddress(p, route+"/jwtTokenAuth/url")
		for _, header := range p.Doc.Items(route + "/headers") {
			checkHeader(p, header)
		}
	}
}

// checkMethods checks a list such as "GET, POST"; * stands for every method.
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
			Message: fmt.Sprintf("%q is not an HTTP method", method),
			Help:    "write GET, several methods separated by commas, or * for all",
		}
		if near := nearest.Name(method, known); near != "" {
			f.Help = fmt.Sprintf("did you mean %s?", near)
		}
		p.Report(f)
	}
}

// checkAddress checks that a URL has the scheme http or https and a host. It accepts a
// template in place of them.
func checkAddress(p *validate.Pass, pointer string) {
	text, ok := p.Doc.Text(pointer)
	if !ok {
		return
	}
	report := func(problem string) {
		p.Report(validate.Finding{
			Place:   p.Value(pointer),
			Message: fmt.Sprintf("URL %q %s", text, problem),
			Help:    "write a full URL, such as https://api.example.com or {{ .JsonData.url }}",
		})
	}
	switch before, after, isTemplate := strings.Cut(text, "{{"); {
	case strings.TrimSpace(text) == "":
		report("is empty")
	case isTemplate && !strings.Contains(after, "}}"):
		report("contains {{ without a matching }}")
	case isTemplate && (before == "" || strings.HasPrefix(before, "http://") || strings.HasPrefix(before, "https://")):
	default:
		to, err := url.Parse(text)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			report("must begin with http:// or https:// and a host")
		}
	}
}

// checkHeader checks that a header has a name and content. The schema does not
// describe headers, so it accepts other keys.
func checkHeader(p *validate.Pass, pointer string) {
	name, hasName := p.Doc.Text(pointer + "/name")
	_, hasContent := p.Doc.Text(pointer + "/content")
	if hasName && name != "" && hasContent {
		return
	}
	p.Report(validate.Finding{
		Place:   p.Opening(pointer),
		Message: `header must have "name" and "content", both strings`,
		Help:    `write { "name": "X-Name", "content": "value" }`,
	})
}
