package extensions

import (
	"cmp"
	"context"
	_ "embed" // for the prelude
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"

	"github.com/slipway-dev/slipway/build/watchdog"
)

// The limits of the evaluation of one frontend. The interpreter limits only the call stack;
// the prelude and the watchdog enforce the others.
const (
	maxTime     = 4 * time.Second
	maxLateTime = 2 * time.Second
	maxHeap     = 160 << 20 // bytes that the heap of the process may grow by
	maxCalls    = 2000      // on the stack
	maxElements = 1 << 20   // of an array or a string
	maxNesting  = 1000      // of JSON
)

//go:embed prelude.js
var preludeSource string

const preludeName = "prelude.js"

// registration is one call of a method of AppPlugin.
type registration struct {
	Method      string  `json:"method"`
	Targets     []value `json:"targets"`
	Title       value   `json:"title"`
	Description value   `json:"description"`
}

// value is a property that should be a string.
type value struct {
	IsGiven bool   `json:"given"`
	IsKnown bool   `json:"known"`
	Text    string `json:"value"`
	Origin  string `json:"origin"` // where an unknown value comes from; may be empty
}

type recorded struct {
	registration
	site     int // -1 if the method was called under another name
	position file.Position
}

type problem struct {
	position  file.Position
	statement file.Position // at the top level
	text      string
	isEnd     bool // nothing was evaluated after it
}

type evaluation struct {
	script *script
	vm     *goja.Runtime
	late   goja.Callable // of the prelude
	isDead bool          // vm could not be stopped and must not be used
	isOver bool          // a limit was exceeded

	mu       sync.Mutex // the interpreter may still run if it could not be stopped
	recorded []recorded
	reached  map[int]bool
	problems []problem
	step     int // the last statement at the top level that began, -1 before the first
}

// evaluate runs the script. Conditions that depend on a stand-in have the value of verdict.
func (s *script) evaluate(ctx context.Context, verdict bool, limit time.Duration) (*evaluation, error) {
	e := &evaluation{script: s, vm: goja.New(), reached: map[int]bool{}, step: -1}
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetRandSource(func() float64 { return 0.5 })
	e.vm.SetTimeSource(func() time.Time { return time.Unix(0, 0).UTC() })
	if err := e.prepare(verdict); err != nil {
		return nil, err
	}
	var result goja.Value
	isStopped, err := watchdog.Run(ctx, e.vm, watchdog.Limits{Time: limit, Heap: maxHeap}, func() error {
		var err error
		result, err = e.vm.RunProgram(s.program)
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.isDead = !isStopped
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.isOver = errors.Is(err, watchdog.ErrTime) || errors.Is(err, watchdog.ErrMemory)
		e.problems = append(e.problems, e.end(err))
	} else if p, ok := result.Export().(*goja.Promise); ok && p.State() != goja.PromiseStateFulfilled {
		text := "a top-level await never settles"
		if p.State() == goja.PromiseStateRejected {
			text = p.Result().String()
		}
		e.problems = append(e.problems, problem{e.begun(), e.begun(), text, true})
	}
	return e, nil
}

func (e *evaluation) prepare(verdict bool) error {
	prelude, err := e.vm.RunScript(preludeName, preludeSource)
	if err != nil {
		return err
	}
	start, ok := goja.AssertFunction(prelude)
	if !ok {
		return errors.New("the prelude is not a function")
	}
	late, err := start(goja.Undefined(), e.vm.ToValue(map[string]any{
		"verdict":     verdict,
		"maxElements": maxElements,
		"record":      e.record,
		"reach": func(site int) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.reached[site] = true
		},
		"step": func(n int) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.step = n
		},
		"failed": e.failed,
		"exceed": func() { e.vm.Interrupt(watchdog.ErrMemory) },
		"isDeep": isDeep,
	}))
	if err != nil {
		return err
	}
	if e.late, ok = goja.AssertFunction(late); !ok {
		return errors.New("the prelude returns no function")
	}
	return nil
}

func (e *evaluation) record(site int, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := recorded{site: site}
	if err := json.Unmarshal([]byte(text), &r.registration); err != nil {
		return // cannot happen: the prelude wrote it
	}
	if site >= 0 {
		r.position = e.script.sites[site].position
	} else {
		r.position = cmp.Or(positionIn(e.vm.CaptureCallStack(0, nil)), e.begun())
	}
	e.recorded = append(e.recorded, r)
}

// frame matches a line of the stack of a JavaScript error.
var frame = regexp.MustCompile(`\(?([^\s()]+):(\d+):(\d+)\(\d+\)`)

func (e *evaluation) failed(step int, text, stack string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := problem{position: e.script.steps[step], statement: e.script.steps[step], text: text}
	for _, m := range frame.FindAllStringSubmatch(stack, -1) {
		if m[1] == preludeName || m[1] == bundleName {
			continue
		}
		line, _ := strconv.Atoi(m[2]) // the expression admits digits only
		column, _ := strconv.Atoi(m[3])
		p.position = file.Position{Filename: m[1], Line: line, Column: column}
		break
	}
	e.problems = append(e.problems, p)
}

// begun returns the place of the statement at the top level that is evaluated, if any.
func (e *evaluation) begun() file.Position {
	if e.step < 0 || e.step == len(e.script.steps) {
		return file.Position{}
	}
	return e.script.steps[e.step]
}

// end describes the error that ended the evaluation.
func (e *evaluation) end(err error) problem {
	p := problem{e.begun(), e.begun(), err.Error(), true}
	var overflow *goja.StackOverflowError
	var interrupted *goja.InterruptedError
	var exception *goja.Exception
	switch {
	case errors.As(err, &overflow):
		p.text = "function calls are nested too deeply"
		p.position = cmp.Or(positionIn(overflow.Stack()), p.position)
	case errors.As(err, &interrupted):
		p.text = cmp.Or(interrupted.Unwrap(), err).Error()
		p.position = cmp.Or(p.position, positionIn(interrupted.Stack())) // the former does not depend on time
	case errors.As(err, &exception):
		p.text = exception.Value().String()
		p.position = cmp.Or(positionIn(exception.Stack()), p.position)
	}
	return p
}

// positionIn returns the place of the innermost call that is in the repository.
func positionIn(stack []goja.StackFrame) file.Position {
	for _, f := range stack {
		if p := f.Position(); p.Filename != preludeName && p.Filename != bundleName && p.Line > 0 {
			return p
		}
	}
	return file.Position{}
}

// describe evaluates the argument of a registration that was not reached; nil if it is not known.
func (e *evaluation) describe(site int) *registration {
	s := e.script.sites[site]
	result, err := e.late(goja.Undefined(), e.vm.ToValue(site), e.vm.ToValue(s.name), e.vm.ToValue(s.target))
	if err != nil || goja.IsUndefined(result) {
		return nil
	}
	r := &registration{}
	if err := json.Unmarshal([]byte(result.String()), r); err != nil {
		return nil
	}
	return r
}

// isDeep reports whether JSON text may be nested more deeply than the parser should recurse.
func isDeep(text string) bool {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest > maxNesting
}
