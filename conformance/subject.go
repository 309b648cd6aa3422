package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/loader"
)

// subject is the plugin under test and the process that the checks share.
type subject struct {
	o          Options
	executable string
	sdk        bundle.SDK // the zero SDK if it is not known
	temp       string     // directory for temporary files of the plugin
	stdout     *output    // of all processes so far
	stderr     *output

	process  *loader.Process // nil if none runs
	before   int             // length of stderr after its start
	conn     grpc.ClientConnInterface
	raw      raw
	startErr error          // why it does not start
	lacking  map[call]bool  // whether the plugin lacks a handler, as far as is known
	usual    map[call]reply // replies to valid calls, as far as is known
	isProbed bool
	obstacle *obstacle // nil if the plugin can make an instance; see probe
}

// raw holds the generated clients. Unlike our own client, they send nil as nil.
type raw struct {
	data        pluginv2.DataClient
	diagnostics pluginv2.DiagnosticsClient
	resource    pluginv2.ResourceClient
	stream      pluginv2.StreamClient
}

func newSubject(o Options, executable, temp string) *subject {
	return &subject{
		o: o, executable: executable, temp: temp, sdk: readSDK(executable), stdout: &output{}, stderr: &output{},
		lacking: map[call]bool{}, usual: map[call]reply{},
	}
}

// What plugins learn about the simulated host.
const (
	hostVersion = "12.1.0"
	hostURL     = "http://127.0.0.1:9/"
)

const startTimeout = 30 * time.Second

// start starts the process that the checks share.
func (s *subject) start(ctx context.Context) error {
	s.process, s.startErr = loader.Start(ctx, s.o.Plugin, loader.Options{
		HostVersion: hostVersion, AppURL: hostURL, Environ: append(slices.Clone(s.o.Environ),
			temporaryFiles(s.temp)...), StartTimeout: max(s.o.Timeout, startTimeout),
	}, loader.Output{Stdout: s.stdout, Stderr: s.stderr})
	if s.startErr != nil {
		return s.startErr
	}
	s.conn, s.before = s.process.Client().Conn(), len(s.stderr.text())
	s.raw = raw{
		data: pluginv2.NewDataClient(s.conn), diagnostics: pluginv2.NewDiagnosticsClient(s.conn),
		resource: pluginv2.NewResourceClient(s.conn), stream: pluginv2.NewStreamClient(s.conn),
	}
	return nil
}

// close stops the process that the checks share.
func (s *subject) close() error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process, s.conn, s.raw = nil, nil, raw{}
	return p.Stop()
}

// check runs one check, with a time limit and with a process if it needs one.
func (s *subject) check(ctx context.Context, c Check) Result {
	started := time.Now()
	v := s.verdict(ctx, c)
	if v.Outcome == Failed && c.isUnusual && s.o.Standard == Existing {
		v.Outcome = Warned
	}
	return Result{ID: c.ID, Why: c.Why, Verdict: v.without(s.o.Secrets), Elapsed: time.Since(started)}
}

func (s *subject) verdict(ctx context.Context, c Check) Verdict {
	if s.startErr != nil {
		return skipped("the plugin does not start: " + s.startErr.Error())
	}
	if slices.Contains(s.o.Skip, c.ID) {
		return skipped("skipped on request")
	}
	if !c.ownProcess && s.process == nil {
		if err := s.start(ctx); err != nil {
			return failed("start of the plugin", err.Error(), helpStart)
		}
	}
	if len(c.calls) > 0 && !s.isProbed {
		if err := s.probeFirst(ctx); err != nil {
			return failed("start of the plugin", err.Error(), helpStart)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout) // of the check, without the start
	defer cancel()
	if c.ownProcess {
		return c.run(ctx, s, nil)
	}
	has := s.supported(ctx, c.calls)
	if len(c.calls) > 0 && len(has) == 0 {
		return s.survived(ctx, skipped("the plugin does not support "+joined(c.calls)))
	}
	if !c.anyInstance && len(has) > 0 {
		if has = s.able(ctx, has); len(has) == 0 {
			return s.survived(ctx, skipped(s.obstacle.reason()))
		}
	}
	return s.survived(ctx, c.run(ctx, s, has))
}

// probeFirst probes with a time limit of its own, and starts the process again if it did not survive that.
func (s *subject) probeFirst(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	s.probe(limited)
	if s.ping(limited) == nil {
		return nil
	}
	_ = s.close() // the checks that make the call report its end
	return s.start(ctx)
}

func joined(list []call) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// outputGrace is how long to wait for the last output of a process that has ended.
const outputGrace = time.Second

// exitGrace is how much later than the end of its connection the end of a process may be noticed.
const exitGrace = 2 * time.Second

// survived fails a check during which the process ended or the time ran out. After a
// failed check the next one gets a new process.
func (s *subject) survived(ctx context.Context, v Verdict) Verdict {
	if s.ping(ctx) != nil {
		sent := cmp.Or(v.Sent, "the calls of this check")
		wait := time.NewTimer(exitGrace)
		defer wait.Stop()
		select {
		case <-s.process.Exited():
			s.awaitCrash()
			v = failed(sent, "the process ended ("+s.process.Result()+")"+s.lastOutput(), helpExited)
		case <-wait.C:
			v = failed(sent, fmt.Sprintf("no response within %s", s.o.Timeout), helpSlow)
		}
	}
	if v.Outcome != Failed {
		return v
	}
	if err := s.close(); err != nil {
		v.Got += "; " + err.Error()
	}
	return v
}

// ping returns an error if the process does not respond.
func (s *subject) ping(ctx context.Context) error {
	_, err := serving(ctx, s.conn)
	return err
}

// awaitCrash waits for the reason of a crash, which can arrive after the end of the process.
func (s *subject) awaitCrash() {
	for end := time.Now().Add(outputGrace); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for line := range strings.Lines(s.stderr.text()[s.before:]) {
			if text.IsPanic(line) && strings.HasSuffix(line, "\n") {
				return
			}
		}
	}
}

// lastOutput returns the end of what the process printed to standard error.
func (s *subject) lastOutput() string {
	const count, width = 3, 200
	lines := strings.Split(strings.TrimSpace(s.stderr.text()[s.before:]), "\n")
	if i := slices.IndexFunc(lines, text.IsPanic); i >= 0 {
		lines = lines[:i+1] // without the stack
	}
	lines = lines[max(0, len(lines)-count):]
	for i, line := range lines {
		var log struct {
			Message string `json:"@message"`
		}
		if json.Unmarshal([]byte(line), &log) == nil && log.Message != "" {
			line = log.Message
		}
		lines[i] = text.Shorten(line, width)
	}
	if lines[0] == "" {
		return ""
	}
	return "; last output: " + strings.Join(lines, " | ")
}
