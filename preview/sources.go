package preview

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sourcemap/sourcemap"
)

const (
	linesAround = 3
	maxStack    = 1 << 20 // bytes of JSON
)

// frame is a call in a stack trace of the page. Lines count from 1 and columns from 0.
type frame struct {
	URL          string
	Line, Column int
}

// place is where a frame is in the author's sources. Its column counts from 1.
type place struct {
	File   string     `json:"file"`
	Line   int        `json:"line"`
	Column int        `json:"column"`
	Code   []codeLine `json:"code,omitempty"` // around the place, if the source is known
}

type codeLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// place sends the place of the innermost frame that is in a plugin's own sources, else in its packages; or null.
func (s *Server) place(w http.ResponseWriter, r *http.Request) {
	var frames []frame
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxStack)).Decode(&frames); err != nil {
		refuse(w, http.StatusBadRequest, "source", "the body must be the frames of a stack trace")
		return
	}
	var found *place
	parsed := map[string]*sourcemap.Consumer{}
	for _, f := range frames {
		p := s.locate(f, parsed)
		isOwn := p != nil && !strings.Contains(p.File, "node_modules/")
		if isOwn || found == nil {
			found = p
		}
		if isOwn {
			break
		}
	}
	sendJSON(w, http.StatusOK, found)
}

// locate returns the place of a frame, or nil without a plugin's source map, which it adds to those that are parsed.
func (s *Server) locate(f frame, parsed map[string]*sourcemap.Consumer) *place {
	at, err := url.Parse(f.URL)
	if err != nil {
		return nil
	}
	sources, ok := parsed[at.Path]
	if !ok {
		sources = s.sourceMapOf(strings.TrimPrefix(at.Path, "/public/plugins/"))
		parsed[at.Path] = sources
	}
	if sources == nil {
		return nil
	}
	source, _, line, column, ok := sources.Source(f.Line, f.Column)
	if !ok || source == "" {
		return nil
	}
	p := &place{File: sourcePath(source), Line: line, Column: column + 1}
	text := sources.SourceContent(source)
	if text == "" {
		text = readSource(s.Repo.Root, p.File)
	}
	lines := strings.Split(text, "\n")
	if text != "" && line >= 1 && line <= len(lines) {
		for n := max(1, line-linesAround); n <= min(len(lines), line+linesAround); n++ {
			p.Code = append(p.Code, codeLine{n, lines[n-1]})
		}
	}
	return p
}

var mapComment = regexp.MustCompile(`//[#@] sourceMappingURL=(\S+)\s*$`)

// sourceMapOf returns the source map of a file, which is the id of a plugin and a path; or nil.
func (s *Server) sourceMapOf(file string) *sourcemap.Consumer {
	id, name, _ := strings.Cut(file, "/")
	p, ok := s.mounted(id)
	if !ok {
		return nil
	}
	code, err := readFile(p.Dir, name)
	comment := mapComment.FindSubmatch(code[max(0, len(code)-4096):])
	if err != nil || comment == nil {
		return nil
	}
	address, err := url.Parse(string(comment[1])) // relative, perhaps with a query
	if err != nil {
		return nil
	}
	text, err := readFile(p.Dir, path.Join(path.Dir(name), address.Path))
	if err != nil {
		return nil
	}
	sources, err := sourcemap.Parse("", text)
	if err != nil {
		return nil
	}
	return sources
}

var leading = regexp.MustCompile(`^(?:[a-z-]+://[^/]*/)?(?:\.{1,2}/)*`)

// sourcePath returns the path of a source in the repository, as far as its name tells. In names as of webpack, it is relative to src.
func sourcePath(source string) string {
	name, _, _ := strings.Cut(leading.ReplaceAllString(source, ""), "?")
	if strings.HasPrefix(source, "webpack://") && !strings.HasPrefix(name, "src/") && !strings.HasPrefix(name, "node_modules/") {
		name = "src/" + name
	}
	return name
}

// readSource returns the text of a source file of a repository, or "". Hidden files and those of packages are not sources.
func readSource(root, name string) string {
	extensions := []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".css", ".scss", ".sass", ".less", ".go"}
	isHidden := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "node_modules"
	})
	if isHidden || !slices.Contains(extensions, path.Ext(name)) {
		return ""
	}
	text, _ := readFile(root, name) // which may not be there
	return string(text)
}
