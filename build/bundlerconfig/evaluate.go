package bundlerconfig

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/build/watchdog"
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

// evaluation runs a configuration. Its interpreter remains for the functions of the configuration.
type evaluation struct {
	*bundle
	vm     *goja.Runtime
	calls  map[string]goja.Value // functions of settings.js
	failed error                 // of the last call
	dead   error                 // why the interpreter must not be used any more
	unread []Message
}

// Evaluate evaluates the configuration of a repository. check returns an error for files that it must not read.
// If the configuration cannot be evaluated, the error is an *Error. Without a configuration, all settings are empty.
func Evaluate(ctx context.Context, root string, check func(file string) error) (*Config, error) {
	c := &Config{File: find(root), root: root, known: map[string]string{}}
	c.Unread = otherBundler(root, c.File)
	if c.File == "" {
		return c, nil
	}
	b := &bundle{root: root, file: c.File, compilers: compilers(root), check: check, texts: map[string][]byte{}, sums: map[string][sha256.Size]byte{}}
	c.e = &evaluation{bundle: b, calls: map[string]goja.Value{}}
	code, err := c.e.build()
	if err != nil {
		return nil, err
	}
	text, err := c.e.start(ctx, code)
	if err != nil {
		return nil, err
	}
	c.Read, c.Unread = slices.Sorted(maps.Keys(c.e.sums)), append(c.Unread, c.e.unread...)
	return c, json.Unmarshal([]byte(text), &c.Settings)
}

// start evaluates the script of a configuration and returns its settings.
func (e *evaluation) start(ctx context.Context, code string) (text string, err error) {
	e.vm = goja.New()
	e.vm.SetMaxCallStackSize(maxCalls)
	err = e.run(ctx, func() error {
		host := e.vm.ToValue(e.host())
		provided, err := e.define(modules, host)
		if err != nil {
			return err
		}
		read, err := e.define(settings, host, provided)
		if err != nil {
			return err
		}
		script, err := e.vm.RunScript(bundleName, code)
		if err != nil {
			return err
		}
		result, err := e.call(read, script)
		if err != nil || e.failed != nil {
			return err
		}
		object := result.ToObject(e.vm)
		for _, name := range []string{"external", "loader", "replace", "resource"} {
			e.calls[name] = object.Get(name)
		}
		text = object.Get("settings").String()
		return nil
	})
	return text, err
}

// define calls the function that is the value of a script of ours.
func (e *evaluation) define(script string, arguments ...goja.Value) (goja.Value, error) {
	f, err := e.vm.RunScript(preludeName, script)
	if err != nil {
		return nil, err
	}
	return e.call(f, arguments...)
}

// call calls a function of ours. If it is asynchronous, it must be done at once.
func (e *evaluation) call(f goja.Value, arguments ...goja.Value) (goja.Value, error) {
	function, ok := goja.AssertFunction(f)
	if !ok {
		return nil, errors.New("not a function")
	}
	value, err := function(goja.Undefined(), arguments...)
	if err != nil {
		return nil, err
	}
	promise, ok := value.Export().(*goja.Promise)
	switch {
	case !ok:
		return value, nil
	case promise.State() == goja.PromiseStatePending:
		return nil, errors.New("it waits for something that never happens, such as an answer from the network")
	}
	return promise.Result(), nil
}

// run runs f within limits. Of a failure, it returns an *Error.
func (e *evaluation) run(ctx context.Context, f func() error) error {
	e.failed = nil
	isStopped, err := watchdog.Run(ctx, e.vm, limits(), f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && e.failed == nil {
		if interrupted, ok := errors.AsType[*goja.InterruptedError](err); ok {
			err = cmp.Or(interrupted.Unwrap(), err)
		}
		e.fail(err.Error(), "")
	}
	if !isStopped {
		e.dead = e.failed
	}
	return e.failed
}

// The names of what is not in the repository in stacks.
const (
	preludeName = "prelude.js"
	bundleName  = "bundle.js"
)

// frame matches a line of a stack.
var frame = regexp.MustCompile(`\(?([^\s()]+):(\d+):(\d+)\(\d+\)`)

// fail notes an exception, at its place in the repository.
func (e *evaluation) fail(text, stack string) {
	m := Message{File: e.file, Line: 1, Column: 1, Text: text}
	for _, at := range frame.FindAllStringSubmatch(stack, -1) {
		if at[1] != preludeName && at[1] != bundleName && !strings.Contains(at[1], "node_modules/") {
			m.File = strings.TrimPrefix(at[1], "./")
			_, _ = fmt.Sscan(at[2], &m.Line) // the expression admits digits only
			_, _ = fmt.Sscan(at[3], &m.Column)
			m.Column++
			break
		}
	}
	e.failed = e.refused(m)
}

// report notes something that the configuration, or a file if it is not "", asks for and that is not read; what is a word at
// its place.
func (e *evaluation) report(what, text, help, file string) {
	m := e.find(strings.ReplaceAll(what, mark, ""), file)
	m.Text, m.Help = strings.ReplaceAll(text, mark, ""), strings.ReplaceAll(help, mark, "")
	if !slices.ContainsFunc(e.unread, func(other Message) bool { return other.Text == m.Text }) {
		e.unread = append(e.unread, m)
	}
}
