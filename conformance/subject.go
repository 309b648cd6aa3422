package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/loader"
)

// subject is the plugin that is tried, with the process that the checks share.
type subject struct {
	o       Options
	program string
	stdout  *printed // of all processes so far
	stderr  *printed

	process *loader.Process // nil: none runs
	before  int             // how much was on standard error before it
	conn    grpc.ClientConnInterface
	raw     raw
	broken  string         // why it cannot be started, if it cannot
	lacking map[call]bool  // what the plugin has no handler for, as far as asked
	usual   map[call]reply // to a call that is as it should be, as far as asked
}

// raw are the clients of the protocol. Unlike those of sdk they send nil as nil.
type raw struct {
	data        pluginv2.DataClient
	diagnostics pluginv2.DiagnosticsClient
	resource    pluginv2.ResourceClient
	stream      pluginv2.StreamClient
}

func newSubject(o Options, program string) *subject {
	return &subject{o: o, program: program, stdout: &printed{}, stderr: &printed{}, lacking: map[call]bool{}, usual: map[call]reply{}}
}

// The answers of a host that is not there.
const (
	hostVersion = "12.1.0"
	hostURL     = "http://127.0.0.1:9/"
)

// startPatience is how long a start may take, whatever the time of a check is.
const startPatience = 30 * time.Second

// launch starts a process apart from the one that the checks share.
func (s *subject) launch(ctx context.Context) (*loader.Process, error) {
	return loader.Start(ctx, s.o.Plugin, loader.Options{
		HostVersion: hostVersion, AppURL: hostURL, Environ: s.o.Environ, StartTimeout: max(s.o.Timeout, startPatience),
	}, loader.Output{Stdout: s.stdout, Stderr: s.stderr})
}

// share makes a process the one that the checks use.
func (s *subject) share(p *loader.Process) {
	s.process, s.conn, s.before = p, p.Client().Conn(), len(s.stderr.text())
	s.raw = raw{
		data: pluginv2.NewDataClient(s.conn), diagnostics: pluginv2.NewDiagnosticsClient(s.conn),
		resource: pluginv2.NewResourceClient(s.conn), stream: pluginv2.NewStreamClient(s.conn),
	}
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

// check runs one check, in time and with a process if it needs one, and sees to it
// that the next one finds a process that works.
func (s *subject) check(ctx context.Context, c Check) Result {
	started := time.Now()
	result := func(v Verdict) Result {
		return Result{ID: c.ID, Why: c.Why, Verdict: v, Elapsed: time.Since(started)}
	}
	if s.broken != "" {
		return result(skipped("the plugin cannot be started: " + s.broken))
	}
	if !c.ownProcess && s.process == nil {
		p, err := s.launch(ctx)
		if err != nil {
			s.broken = err.Error()
			return result(failed("the start of the plugin", err.Error(), mendStart))
		}
		s.share(p)
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout) // of the check: the start is not its doing
	defer cancel()
	v := c.run(ctx, s)
	if !c.ownProcess {
		v = s.survived(ctx, v)
	}
	return result(v)
}

// lastWordsGrace is for the last words, which come by another way than the end.
const lastWordsGrace = time.Second

// settle is how long the end of a process may take to be seen after its connection
// has broken.
const settle = 2 * time.Second

// survived fails a check that the process did not live through, or in which the time
// ran out. After a check that failed the next one gets a new process.
func (s *subject) survived(ctx context.Context, v Verdict) Verdict {
	if s.ping(ctx) != nil {
		sent := cmp.Or(v.Sent, "the calls of this check")
		wait := time.NewTimer(settle)
		defer wait.Stop()
		select {
		case <-s.process.Exited():
			for end := time.Now().Add(lastWordsGrace); s.lastWords() == "" && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			v = failed(sent, "the process ended ("+s.process.Result()+")"+s.lastWords(), mendEnded)
		case <-wait.C:
			v = failed(sent, fmt.Sprintf("no answer within %s", s.o.Timeout), mendSlow)
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

// ping asks whether the process still answers.
func (s *subject) ping(ctx context.Context) error {
	_, err := serving(ctx, s.conn)
	return err
}

// lastWords is the end of what the process printed to standard error.
func (s *subject) lastWords() string {
	const count, width = 3, 200
	lines := strings.Split(strings.TrimSpace(s.stderr.text()[s.before:]), "\n")
	for i, line := range lines {
		if isEnd(line) { // what it is comes before its traces
			lines = lines[:i+1]
			break
		}
	}
	lines = lines[max(0, len(lines)-count):]
	for i, line := range lines {
		var log struct {
			Message string `json:"@message"`
		}
		if json.Unmarshal([]byte(line), &log) == nil && log.Message != "" {
			line = log.Message
		}
		lines[i] = shorten(line, width)
	}
	if lines[0] == "" {
		return ""
	}
	return "; its last words: " + strings.Join(lines, " | ")
}

// isEnd says whether a line is the first that Go prints of the end of a program.
func isEnd(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// shorten cuts a text for a person to read.
func shorten(text string, width int) string {
	if len(text) <= width {
		return text
	}
	return strings.ToValidUTF8(text[:width], "") + "..."
}

// isTimeUp says whether a call got no answer for lack of time.
func isTimeUp(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }
