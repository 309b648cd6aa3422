package compat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

func (p plugin) backend(o Options) []Row {
	if !p.metadata.Backend {
		return nil
	}
	if p.isSource {
		rows := []Row{{Aspect: "executable", Found: "not built", Here: Unknown, Existing: Unknown, Help: "build the plugin first"}}
		return append(rows, p.sources().rows(o)...)
	}
	names, platforms := p.executables()
	row := Row{Aspect: "platforms", Found: joinOr(platforms, "no executable"), Here: Yes, Existing: Yes}
	want := path.Base(o.Platform.Executable(p.metadata.Executable))
	if !slices.Contains(names, want) {
		row.Here, row.Existing = No, No
		row.Help = fmt.Sprintf("build it for %s: %s not found", o.Platform, want)
	}
	rows := []Row{row}
	if len(names) == 0 {
		return rows
	}
	if slices.Contains(names, want) {
		names[0] = want
	}
	return append(rows, p.executable(names[0], o)...)
}

// executables returns the file names of the executables and their platforms.
func (p plugin) executables() (names, platforms []string) {
	entries, err := fs.ReadDir(p.files, path.Join(p.dir, path.Dir(p.metadata.Executable)))
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		if name, platform, ok := bundle.SplitExecutable(e.Name()); ok && name == path.Base(p.metadata.Executable) && e.Type().IsRegular() {
			names, platforms = append(names, e.Name()), append(platforms, platform.String())
		}
	}
	return names, platforms
}

// executable reads one executable, its header, its SDK and the cookie, and the sources around it.
func (p plugin) executable(name string, o Options) []Row {
	row := Row{Aspect: "protocol", Here: Yes, Existing: Yes}
	unread := func(err error) []Row {
		row.Found, row.Here, row.Existing, row.Help = name, Unknown, Unknown, err.Error()
		return []Row{row}
	}
	f, err := p.files.Open(path.Join(p.dir, path.Dir(p.metadata.Executable), name))
	if err != nil {
		return unread(err)
	}
	defer func() { _ = f.Close() }()
	r, err := readerAt(f)
	if err != nil {
		return unread(err)
	}
	_, named, _ := bundle.SplitExecutable(name)
	found, err := bundle.ExecutablePlatform(r)
	if err != nil && !errors.Is(err, bundle.ErrNotExecutable) { // a script may be one
		return unread(err)
	}
	sdk, isKnown := bundle.ExecutableSDK(r)
	row.Found = "unknown SDK"
	if isKnown {
		row.Found = sdk.String()
	}
	hasCookie, err := contains(io.NewSectionReader(r, 0, maxExecutable), handshake.CookieKey)
	switch {
	case err != nil:
		return unread(err)
	case found != (bundle.Platform{}) && found != named:
		row.Here, row.Existing, row.Help = No, No, fmt.Sprintf("%s is built for %s: build it again", name, found)
	case !hasCookie && !isKnown:
		row.Here, row.Existing = Unknown, Unknown
		row.Help = fmt.Sprintf("%s does not contain the magic cookie %s: build it with an SDK, or start it to find out", name,
			handshake.CookieKey)
	}
	if o.Start != nil && row.Here != No {
		row = started(row, o.Start(p.dir))
	}
	return append([]Row{row}, p.sources().rows(o)...)
}

// started adds to a row whether the handshake was completed.
func started(row Row, err error) Row {
	if err != nil {
		row.Here, row.Existing, row.Help = No, No, err.Error()
		return row
	}
	row.Found, row.Here, row.Existing, row.Help = row.Found+", handshake complete", Yes, Yes, ""
	return row
}

// readerAt returns a file for random access. An entry of a zip is read into memory.
func readerAt(f fs.File) (io.ReaderAt, error) {
	if r, ok := f.(io.ReaderAt); ok {
		return r, nil
	}
	data, err := limit.ReadAll(f, maxExecutable)
	return bytes.NewReader(data), err
}

// contains searches for a text in windows that overlap.
func contains(r io.Reader, text string) (bool, error) {
	const window = 1 << 20
	buffer := make([]byte, 0, window+len(text))
	for {
		n, err := io.ReadFull(r, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		switch {
		case bytes.Contains(buffer, []byte(text)):
			return true, nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil
		case err != nil:
			return false, err
		}
		buffer = buffer[:copy(buffer, buffer[len(buffer)-len(text):])]
	}
}

// quotedVariable matches a variable as a constant in Go.
var quotedVariable = regexp.MustCompile("[\"`]((?:GF|SVC)_[A-Z][A-Z0-9_]+)[\"`]")

// clientCall matches the call of a method of sdk/hostapi that not every host can answer.
var clientCall = regexp.MustCompile(`\.(PlaylistDashboards)\(`)

// sources is what the Go files of a plugin name.
type sources struct {
	variables  []string
	called     []string // paths of the API, and methods of sdk/hostapi
	isComplete bool     // all files could be read
}

func (p plugin) sources() (s sources) {
	dir := p.dir
	if p.inLayout {
		dir = "."
	}
	s.isComplete = eachText(p.files, dir, p.inLayout, maxSource, []string{".go"}, func(text []byte) {
		for _, m := range quotedVariable.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !slices.Contains(s.variables, name) && len(s.variables) < maxNames {
				s.variables = append(s.variables, name)
			}
		}
		s.called = calledRoutes(s.called, text)
		if m := clientCall.FindSubmatch(text); m != nil && bytes.Contains(text, []byte(`/sdk/hostapi"`)) {
			s.called = append(s.called, "hostapi."+string(m[1]))
		}
	})
	slices.Sort(s.variables)
	return s
}

// rows returns the rows about the Go files.
func (s sources) rows(o Options) (rows []Row) {
	if !s.isComplete {
		rows = append(rows, unreadRow())
	}
	rows = append(rows, variableRows(s.variables, o)...)
	return append(rows, goneRows(s.called, o)...)
}

// variableRows returns a row for the variables that the host of this program does not set.
func variableRows(names []string, o Options) []Row {
	var missing []string
	for _, name := range names {
		if !slices.ContainsFunc(o.Variables, func(set string) bool { return bare(set) == bare(name) }) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Row{{
		Aspect: "variables", Found: strings.Join(missing, ", "), Here: Partly, Existing: Partly,
		Help: "hosts do not set these: check that the backend works without them, or set those that begin with GF_PLUGIN_ in the plugin's " +
			"settings",
	}}
}

// bare returns the name of a variable without the prefix of a profile.
func bare(name string) string {
	_, rest, _ := strings.Cut(name, "_")
	return rest
}

func joinOr(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return strings.Join(list, ", ")
}
