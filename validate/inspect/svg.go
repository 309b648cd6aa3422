package inspect

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Danger is a part of an SVG image that runs code, loads something or is not XML.
type Danger struct {
	From, To int // byte offsets in the file
	Problem  string
	Help     string // "" for that of the rule
}

// maxDangers is how many are reported for one image.
const maxDangers = 20

const (
	nsXHTML = "http://www.w3.org/1999/xhtml"
	nsXLink = "http://www.w3.org/1999/xlink"
	nsAdobe = "http://ns.adobe.com/AdobeIllustrator/10.0/"
)

var (
	entityForm  = regexp.MustCompile(`<!ENTITY\s+(%\s+)?([^\s]+)\s+(SYSTEM|PUBLIC|"[^"]*"|'[^']*')`)
	cssLoad     = regexp.MustCompile(`(?i)@import|url\(\s*["']?\s*(?:https?:|//|ftp:|file:)|expression\s*\(`)
	elsewhere   = regexp.MustCompile(`^(?:https?:|//|ftp:|file:)`)
	notInScheme = regexp.MustCompile(`[\x00-\x20\x{7f}-\x{a0}]`)
)

// svgScanner reads an image as a stream of tokens.
type svgScanner struct {
	decoder *xml.Decoder
	data    []byte
	at      int // offset of the current token
	inStyle bool
	dangers []Danger

	references int // to entities, in the whole image
	longest    int // bytes of an entity
}

// ScanSVG returns the dangers in an image, and an error if it could not read all of
// it. It is not an allowlist: elements it does not know pass.
func ScanSVG(data []byte) ([]Danger, error) {
	s := &svgScanner{decoder: xml.NewDecoder(bytes.NewReader(data)), data: data}
	s.references = bytes.Count(data, []byte("&")) - bytes.Count(data, []byte("&#"))
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
			s.dangers = append(s.dangers, Danger{
				From: max(end-1, 0), To: end,
				Problem: "is not valid XML: " + syntax.Msg,
				Help:    "save the image again with the program that created it",
			})
			return s.dangers, nil
		case err != nil:
			return s.dangers, err
		}
		s.token(token)
		if s.longest*s.references > MaxImageBytes { // the decoder would expand them without a limit
			s.add("declares entities that can exhaust memory")
			break
		}
	}
	return s.dangers, nil
}

func (s *svgScanner) add(problem string) {
	from, to := s.at, min(int(s.decoder.InputOffset()), len(s.data))
	from += bytes.IndexByte(s.data[from:to], '<') // -1 for text
	s.dangers = append(s.dangers, Danger{From: max(from, s.at), To: to, Problem: problem})
}

func (s *svgScanner) token(token xml.Token) {
	switch t := token.(type) {
	case xml.Directive:
		s.entities("<!" + string(t) + ">")
	case xml.ProcInst:
		if t.Target == "xml-stylesheet" {
			s.add("loads a style sheet")
		}
	case xml.StartElement:
		s.element(t)
	case xml.EndElement:
		s.inStyle = false
	case xml.CharData:
		if s.inStyle && cssLoad.Match(t) {
			s.add("contains a style that loads an external resource")
		}
	}
}

// entities reads the entities of a DOCTYPE. Drawing programs declare some for their
// namespaces; only those that load a file or expand to other entities are dangers.
func (s *svgScanner) entities(doctype string) {
	for _, m := range entityForm.FindAllStringSubmatch(doctype, 1000) {
		name, value := m[2], strings.Trim(m[3], `"'`)
		switch {
		case m[1] != "" || m[3] == "SYSTEM" || m[3] == "PUBLIC":
			s.add(fmt.Sprintf("declares entity %q, which loads a file", name))
		case strings.Contains(value, "&"):
			s.add(fmt.Sprintf("declares entity %q, which expands to other entities and can exhaust memory", name))
		}
		s.decoder.Entity[name] = value
		s.longest = max(s.longest, len(value))
	}
}

func (s *svgScanner) element(t xml.StartElement) {
	switch strings.ToLower(t.Name.Local) {
	case "script":
		s.add("contains a <script> element")
	case "foreignobject":
		if attribute(t, "requiredExtensions") != nsAdobe { // private data of Illustrator
			s.add("contains a <foreignObject> element, which can embed any web page")
		}
	case "iframe", "embed", "object":
		s.add(fmt.Sprintf("contains an <%s> element, which loads an external resource", t.Name.Local))
	case "style":
		s.inStyle = true
	}
	for _, a := range t.Attr {
		s.attribute(t.Name, a)
	}
}

func (s *svgScanner) attribute(element xml.Name, a xml.Attr) {
	name := strings.ToLower(a.Name.Local)
	value := strings.ToLower(notInScheme.ReplaceAllString(a.Value, ""))
	isRun := strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") || strings.HasPrefix(value, "data:text/html")
	switch {
	case a.Name.Space == "" && len(name) > 2 && strings.HasPrefix(name, "on") && isLetters(name):
		s.add(fmt.Sprintf("contains the event handler %q", a.Name.Local))
	case isRun && (name == "href" || name == "src" || name == "to" || name == "from"):
		s.add("contains a URL that runs code")
	case name == "values" && strings.Contains(value, "javascript:"):
		s.add("contains a URL that runs code")
	case (name == "href" || name == "src") && (a.Name.Space == "" || a.Name.Space == nsXLink) && loads(element, value):
		s.add(fmt.Sprintf("loads %.200q in <%s>", a.Value, element.Local))
	case a.Name.Space == "" && strings.Contains(value, "url(") && cssLoad.MatchString(a.Value):
		s.add("contains a style that loads an external resource")
	}
}

// loads reports whether an element fetches the address. A link does not.
func loads(element xml.Name, address string) bool {
	if strings.EqualFold(element.Local, "a") ||
		element.Space != "" && element.Space != "http://www.w3.org/2000/svg" && element.Space != nsXHTML {
		return false
	}
	return elsewhere.MatchString(address)
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
