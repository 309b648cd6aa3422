package bundlerconfig

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/build/watchdog"
	"github.com/slipway-dev/slipway/validate/script"
)

//go:embed modules.js
var modules string

//go:embed settings.js
var settings string

const maxCalls = 2000 // on the stack

// limits allow for esbuild, which allocates in the same process.
func limits() watchdog.Limits { return watchdog.Limits{Time: 10 * time.Second, Heap: 1 << 30} }

// mark surrounds, in texts, the name of a value that nothing has computed; modules.js has the same.
const mark = "\uE000"

// evaluation is what is known while a configuration is evaluated.
type evaluation struct {
	*Config
	root      string // slash-separated
	variables map[string]bool
}

// Evaluate evaluates the configuration of a repository. check returns an error for files that it must not read.
// If the configuration cannot be evaluated, the error is an *Error. Without a configuration, all settings are empty.
func Evaluate(ctx context.Context, root string, check func(file string) error) (*Config, error) {
	c := &Config{root: root, File: find(root), sums: map[string][32]byte{}, known: map[string]string{}, calls: map[string]goja.Callable{}}
	if c.File == "" {
		return c, nil
	}
	c.bundle = &bundle{root: root, file: c.File, check: check, sums: c.sums, texts: map[string][]byte{}}
	e := &evaluation{Config: c, root: filepath.ToSlash(root), variables: map[string]bool{}}
	code, err := e.bundle.build()
	if err == nil {
		err = e.run(ctx, code)
	}
	c.Read = slices.Sorted(maps.Keys(c.sums))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		return c, nil
	}
	if _, ok := errors.AsType[*Error](err); !ok {
		err = &Error{e.message(err)}
	}
	return c, err
}

// run evaluates the bundled configuration and reads its value.
func (e *evaluation) run(ctx context.Context, code string) error {
	e.vm = goja.New()
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetFieldNameMapper(goja.TagFieldNameMapper("json", true))
	var result *goja.Object
	isStopped, err := watchdog.Run(ctx, e.vm, limits(), func() error {
		made, err := e.evaluate(modules, e.host())
		if err != nil {
			return err
		}
		read, err := e.evaluate(settings, e.host(), made, e.report)
		if err != nil {
			return err
		}
		script, err := e.vm.RunScript(bundleName, code)
		if err != nil {
			return err
		}
		value, err := call(read, script)
		if err != nil {
			return err
		}
		if value, err = settled(value); err != nil {
			return err
		}
		result = value.ToObject(e.vm)
		return json.Unmarshal([]byte(result.Get("settings").String()), &e.Settings)
	})
	if !isStopped {
		return err // the interpreter must not be used
	}
	if err != nil {
		return err
	}
	e.isExact = result.Get("isExact").ToBoolean()
	for _, name := range []string{"external", "loader", "replace", "resource"} {
		e.calls[name], _ = goja.AssertFunction(result.Get(name))
	}
	return nil
}

// evaluate calls the function that is the value of a script.
func (e *evaluation) evaluate(script string, arguments ...any) (goja.Value, error) {
	f, err := e.vm.RunScript(preludeName, script)
	if err != nil {
		return nil, err
	}
	values := make([]goja.Value, len(arguments))
	for i, a := range arguments {
		values[i] = e.vm.ToValue(a)
	}
	return call(f, values...)
}

func call(f goja.Value, arguments ...goja.Value) (goja.Value, error) {
	function, ok := goja.AssertFunction(f)
	if !ok {
		return nil, errors.New("not a function")
	}
	return function(goja.Undefined(), arguments...)
}

// settled returns what a promise has become, and other values as they are.
func settled(value goja.Value) (goja.Value, error) {
	promise, ok := value.Export().(*goja.Promise)
	if !ok {
		return value, nil
	}
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		return promise.Result(), nil
	case goja.PromiseStateRejected:
		return nil, rejection{promise.Result()}
	}
	return nil, errors.New("it waits for something that never happens, such as an answer from the network")
}

// rejection is what an asynchronous function has thrown.
type rejection struct{ value goja.Value }

// Error returns the message of the error.
func (r rejection) Error() string { return r.value.String() }

// stack returns the stack of a JavaScript error.
func stack(err error) string {
	if r, ok := errors.AsType[rejection](err); ok {
		if o, ok := r.value.(*goja.Object); ok && o.Get("stack") != nil {
			return o.Get("stack").String()
		}
	}
	if e, ok := errors.AsType[*goja.Exception](err); ok {
		return e.String()
	}
	if i, ok := errors.AsType[*goja.InterruptedError](err); ok {
		return i.String()
	}
	return ""
}

// The names of what is not in the repository in stacks.
const (
	preludeName = "prelude.js"
	bundleName  = "bundle.js"
)

// frame matches a line of a stack.
var frame = regexp.MustCompile(`\(?([^\s()]+):(\d+):(\d+)\(\d+\)`)

// message returns the place in the repository at which an error happened.
func (c *Config) message(err error) Message {
	text := err.Error()
	if exception, ok := errors.AsType[*goja.Exception](err); ok {
		text = exception.Value().String()
	} else if interrupted, ok := errors.AsType[*goja.InterruptedError](err); ok {
		text = fmt.Sprint(interrupted.Value())
	}
	m := Message{
		File: c.File, Line: 1, Column: 1, Text: "cannot evaluate the configuration of the bundler: " + readable(strings.TrimPrefix(text, "Error: ")),
		Help: OwnBundler,
	}
	for _, at := range frame.FindAllStringSubmatch(stack(err), -1) {
		if name := strings.TrimPrefix(at[1], "./"); at[1] != preludeName && at[1] != bundleName && !strings.Contains(name, "node_modules/") {
			m.File = name
			_, _ = fmt.Sscan(at[2], &m.Line) // the expression admits digits only
			_, _ = fmt.Sscan(at[3], &m.Column)
			m.Column++
			c.bundle.place(&m)
			break
		}
	}
	return m
}

// readable returns a text without marks.
func readable(text string) string { return strings.ReplaceAll(text, mark, "") }

// report notes something that the configuration asks for and that is not read; what is a word at its place.
func (e *evaluation) report(what, text, help string) {
	m := e.find(readable(what))
	m.Text, m.Help = readable(text), readable(help)
	if !slices.ContainsFunc(e.Unread, func(other Message) bool { return other.Text == m.Text }) {
		e.Unread = append(e.Unread, m)
	}
}

// find returns the place of a name or of a part of a string: in the configuration itself if it has it, or in one of
// the files that it imports. Those below .config come last, which create-plugin writes.
func (e *evaluation) find(what string) Message {
	files := slices.Clone(e.bundle.sources)
	slices.SortStableFunc(files, func(a, b string) int {
		rank := func(name string) int { return len(strings.SplitN(name, ".config/", 2)) }
		return rank(a) - rank(b)
	})
	if i := slices.Index(files, e.File); i > 0 {
		files = slices.Insert(slices.Delete(files, i, i+1), 0, e.File)
	}
	for _, name := range files {
		text := e.bundle.texts[name]
		f, err := script.Parse(name, text)
		if err != nil || what == "" {
			continue
		}
		for _, t := range f.Tokens {
			at := 0
			if t.Kind != script.Name {
				at = strings.Index(string(text[t.From:t.To]), what)
			}
			isFound := t.Kind == script.Name && string(text[t.From:t.To]) == what
			if !isFound && (t.Kind != script.String && t.Kind != script.Template && t.Kind != script.Regexp || at < 0) {
				continue
			}
			m := place(name, text, t.From+at)
			m.Length = len(what)
			return m
		}
	}
	return place(e.File, e.bundle.texts[e.File], 0)
}

// place returns the place of a byte of a file.
func place(name string, text []byte, at int) Message {
	before := string(text[:at])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	source, _, _ := strings.Cut(line+string(text[at:]), "\n")
	return Message{File: name, Line: strings.Count(before, "\n") + 1, Column: len(line) + 1, Source: source}
}
