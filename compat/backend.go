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
		variables, _, isComplete := p.variablesInSource()
		if !isComplete {
			rows = append(rows, unreadRow())
		}
		return append(rows, variableRows(variables, o)...)
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

// executable reads one executable: its header, its SDK, the cookie and the names of variables.
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
	hasCookie, variables, err := scan(io.NewSectionReader(r, 0, maxExecutable))
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
	if named, hasSource, isComplete := p.variablesInSource(); hasSource && isComplete {
		variables = named // without what Go's layout of strings may have added
	} else if isKnown {
		variables = slices.DeleteFunc(variables, isOfSDK)
	}
	return append([]Row{row}, variableRows(variables, o)...)
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

// variable matches the names of the variables that hosts set for backends.
var variable = regexp.MustCompile(`(?:GF|SVC)_[A-Z][A-Z0-9_]{2,60}`)

// The window in which an executable is searched, and the overlap of two windows.
const (
	window  = 1 << 20
	overlap = 128
)

// scan searches an executable for the cookie and for names of variables. Go stores strings
// without separators, so that a name may have the beginning of another string at its end.
func scan(r io.Reader) (hasCookie bool, variables []string, err error) {
	buffer := make([]byte, 0, window+overlap)
	for {
		n, err := io.ReadFull(r, buffer[len(buffer):window+overlap])
		buffer = buffer[:len(buffer)+n]
		hasCookie = hasCookie || bytes.Contains(buffer, []byte(handshake.CookieKey))
		for _, match := range variable.FindAll(buffer, -1) {
			for _, name := range split(string(match)) {
				if !slices.Contains(variables, name) && len(variables) < maxNames {
					variables = append(variables, name)
				}
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			slices.Sort(variables)
			return hasCookie, withoutParts(variables), nil
		}
		if err != nil {
			return false, nil, err
		}
		buffer = buffer[:copy(buffer, buffer[len(buffer)-overlap:])]
	}
}

// split splits a string that begins with a name where the next one begins.
func split(text string) (names []string) {
	for text != "" {
		end := len(text)
		for _, p := range bundle.Profiles() {
			if i := strings.Index(text[1:], p.EnvPrefix); i >= 0 {
				end = min(end, i+1)
			}
		}
		names, text = append(names, text[:end]), text[end:]
	}
	return names
}

// isOfSDK reports whether Grafana's SDK contains a variable: every plugin built with the
// SDK contains the variable, and works without it.
func isOfSDK(name string) bool {
	rest, ok := strings.CutPrefix(name, "GF_")
	return ok && slices.ContainsFunc([]string{
		"PLUGIN_GRPC_ADDRESS_", "SECURE_SOCKS_DATASOURCE_PROXY_", "USER_FACING_DEFAULT_ERROR", "SQL_", "RESPONSE_LIMIT", "PLUGIN_VERSION",
		"PLUGIN_PROFILING_", "PLUGIN_HAR_LOG_", "PLUGIN_APP_CLIENT_SECRET", "PLUGINS_PROFILER", "LIVE_CLIENT_QUEUE_MAX_SIZE", "INSTANCE_",
		"DATAPROXY_RESPONSE_LIMIT", "CONCURRENT_QUERY_COUNT", "APP_URL", "VERSION",
	}, func(known string) bool { return strings.HasPrefix(rest, known) || strings.HasPrefix(known, rest) })
}

// withoutParts removes names that are prefixes of others: compilers also keep the first
// bytes of a string in the code that compares it.
func withoutParts(names []string) []string {
	all := slices.Clone(names)
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return other != name && strings.HasPrefix(other, name) })
	})
}

// quotedVariable matches a variable as a constant in Go.
var quotedVariable = regexp.MustCompile("[\"`]((?:GF|SVC)_[A-Z][A-Z0-9_]+)[\"`]")

// variablesInSource returns the variables that the Go files of a plugin name. hasSource
// is false if there are no such files, and isComplete if not all of them could be read.
func (p plugin) variablesInSource() (list []string, hasSource, isComplete bool) {
	dir := p.dir
	if p.inLayout {
		dir = "."
	}
	isComplete = eachText(p.files, dir, p.inLayout, maxSource, []string{".go"}, func(text []byte) {
		hasSource = true
		for _, m := range quotedVariable.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !slices.Contains(list, name) && len(list) < maxNames {
				list = append(list, name)
			}
		}
	})
	slices.Sort(list)
	return list, hasSource, isComplete
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
