package preview

import (
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	linesAround = 5
	maxSource   = 4 << 20 // bytes
)

// source sends the lines around a place in a source file of the repository. Hidden files and those
// of packages are not sources.
func (s *Server) source(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("file")
	line, err := strconv.Atoi(r.URL.Query().Get("line"))
	text, ok := readSource(s.Repo.Root, name)
	lines := strings.Split(text, "\n")
	if err != nil || !ok || line < 1 || line > len(lines) {
		refuse(w, http.StatusNotFound, "source", "no such line of a source file")
		return
	}
	from, to := max(0, line-1-linesAround), min(len(lines), line+linesAround)
	sendJSON(w, http.StatusOK, map[string]any{"file": name, "line": line, "from": from + 1, "lines": lines[from:to]})
}

func readSource(root, name string) (text string, ok bool) {
	extensions := []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".css", ".scss", ".sass", ".less", ".go"}
	isHidden := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "node_modules"
	})
	if isHidden || !slices.Contains(extensions, path.Ext(name)) {
		return "", false
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", false
	}
	defer dir.Close()
	info, err := dir.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return "", false
	}
	data, err := dir.ReadFile(name)
	return string(data), err == nil
}
