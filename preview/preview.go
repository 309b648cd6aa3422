// Package preview shows the frontends of plugins in a page of its own, as they are edited: it
// chooses the libraries that hosts share with plugins, bundles the page with them, and serves it with
// the files of the plugins.
//
// The page runs on an origin of its own, because it runs the code of plugins. It gets no cookies
// and reaches only those parts of the API that a frontend needs. This package does not listen, and
// runs no plugins: it is given the handler of a host.
package preview

import (
	"embed"
	"io/fs"
)

//go:embed page/src
var pageFiles embed.FS

func pageSource() fs.FS {
	source, _ := fs.Sub(pageFiles, "page/src") // the path is valid
	return source
}
