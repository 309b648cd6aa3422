package rules

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// danger is a stretch of an SVG image that must not be there.
type danger struct {
	from, to int // bytes of the file
	problem  string
	help     string // "" is that of the rule
}

// maxDangers of one image are reported; who wrote that many knows by then.
const maxDangers = 20

const (
	nsXHTML = "http://www.w3.org/1999/xhtml"
	nsXLink = "http://www.w3.org/1999/xlink"
	nsAdobe = "http://ns.adobe.com/AdobeIllustrator/10.0/"
)

var (
	entityForm  = regexp.MustCompile(`<!ENTITY\s+(%\s+)?([^\s]+)\s+(SYSTEM|PUBLIC|"[^"]*"|'[^']*')`)
	cssLoad     = regexp.MustCompile(`(?i)@import|url\(\s*["']?\s*(?:https?:|//|ftp:|file:)|expression\s*\(`)
	notInScheme = regexp.MustCompile(`[\x00-\x20\x{7f}-\x{a0}]`)
)

// svgScan reads an image as a stream of tokens.
type svgScan struct {
	decoder *xml.Decoder
	data    []byte
	at      int // where the token begins
	inStyle bool
	dangers []danger
}

// scanSVG returns what is dangerous in an image, and an error where it could not be
// read to its end. It is no whitelist: what it does not know passes.
func scanSVG(data []byte) ([]danger, error) {
	s := &svgScan{decoder: xml.NewDecoder(bytes.NewReader(data)), data: data}
	s.decoder.Entity = map[string]string{}
	s.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for len(s.dangers) < maxDangers {
		s.at = int(s.decoder.InputOffset())
		token, err := s.decoder.Token()
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return s.dangers, nil
		case errors.As(err, &syntax):
			end := min(int(s.decoder.InputOffset()), len(data))
			s.dangers = append(s.dangers, danger{
				from: max(end-1, 0), to: end,
				problem: "this is not XML, so browsers do not show the image: " + syntax.Msg,
				help:    "save the image again with the program that made it",
			})
			return s.dangers, nil
		case err != nil:
			return s.dangers, err
		}
		s.token(token)
	}
	return s.dangers, nil
}

func (s *svgScan) add(problem string) {
	from, to := s.at, min(int(s.decoder.InputOffset()), len(s.data))
	from += bytes.IndexByte(s.data[from:to], '<') // a token without one is text: not below
	s.dangers = append(s.dangers, danger{from: max(from, s.at), to: to, problem: problem})
}

func (s *svgScan) token(token xml.Token) {
	switch t := token.(type) {
	case xml.Directive:
		s.entities("<!" + string(t) + ">")
	case xml.ProcInst:
		if t.Target == "xml-stylesheet" {
			s.add("a style sheet from another file")
		}
	case xml.StartElement:
		s.element(t)
	case xml.EndElement:
		s.inStyle = false
	case xml.CharData:
		if s.inStyle && cssLoad.Match(t) {
			s.add("a style that loads from elsewhere")
		}
	}
}

// entities notes those of a DOCTYPE. Drawing programs declare some for the names of
// their namespaces; those that load a file or hold other entities are reported.
func (s *svgScan) entities(doctype string) {
	for _, m := range entityForm.FindAllStringSubmatch(doctype, 1000) {
		name, value := m[2], strings.Trim(m[3], `"'`)
		switch {
		case m[1] != "" || m[3] == "SYSTEM" || m[3] == "PUBLIC":
			s.add(fmt.Sprintf("the entity %q loads another file", name))
		case strings.Contains(value, "&"):
			s.add(fmt.Sprintf("the entity %q is made of other entities, which can grow without end", name))
		}
		s.decoder.Entity[name] = value
	}
}

func (s *svgScan) element(t xml.StartElement) {
	switch strings.ToLower(t.Name.Local) {
	case "script":
		s.add("a <script>")
	case "foreignobject":
		if attribute(t, "requiredExtensions") != nsAdobe { // what Illustrator keeps for itself
			s.add("a <foreignObject>, which can hold any web page")
		}
	case "iframe", "embed", "object":
		s.add(fmt.Sprintf("an <%s>, which loads from elsewhere", t.Name.Local))
	case "style":
		s.inStyle = true
	}
	for _, a := range t.Attr {
		s.attribute(t.Name, a)
	}
}

func (s *svgScan) attribute(element xml.Name, a xml.Attr) {
	name := strings.ToLower(a.Name.Local)
	value := strings.ToLower(notInScheme.ReplaceAllString(a.Value, ""))
	isRun := strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") || strings.HasPrefix(value, "data:text/html")
	switch {
	case a.Name.Space == "" && len(name) > 2 && strings.HasPrefix(name, "on") && isLetters(name):
		s.add(fmt.Sprintf("the event handler %s", a.Name.Local))
	case isRun && (name == "href" || name == "src" || name == "to" || name == "from"):
		s.add("an address that runs code")
	case name == "values" && strings.Contains(value, "javascript:"):
		s.add("an address that runs code")
	case (name == "href" || name == "src") && (a.Name.Space == "" || a.Name.Space == nsXLink) && loads(element, value):
		s.add(fmt.Sprintf("<%s> loads from elsewhere: %s", element.Local, shorten(a.Value)))
	case a.Name.Space == "" && strings.Contains(value, "url(") && cssLoad.MatchString(a.Value):
		s.add("a style that loads from elsewhere")
	}
}

// loads says whether an element fetches what the address names. A link does not.
func loads(element xml.Name, address string) bool {
	if strings.EqualFold(element.Local, "a") || element.Space != "" && element.Space != "http://www.w3.org/2000/svg" && element.Space != nsXHTML {
		return false
	}
	for _, scheme := range []string{"http:", "https:", "//", "ftp:", "file:"} {
		if strings.HasPrefix(address, scheme) {
			return true
		}
	}
	return false
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// shorten keeps a message readable.
func shorten(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
