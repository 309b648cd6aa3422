package preview

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// AnswersDir is the directory of a repository with the recorded answers.
const AnswersDir = "previews/answers"

// Answers are what plugins and their data sources answer to the calls of the page: one file for each call, which a person can
// read and change. Headers are not in them, and so no credentials that a header has.
type Answers struct {
	Clock    time.Time // when recording began: the page's time begins then, for both
	isReplay bool      // nothing else answers
	root     *os.Root  // of the repository

	mu       sync.Mutex
	recorded map[string]bool // names of files
	err      error           // of what could not be recorded
}

const clockFile = "clock.json"

// ReplayAnswers opens the answers of a repository, to answer calls with them.
func ReplayAnswers(repo string) (*Answers, error) {
	a, err := RecordAnswers(repo)
	if err == nil && a.Clock.IsZero() {
		err = errors.Join(fmt.Errorf("no answers are recorded in %s", AnswersDir), a.root.Close())
	}
	if err != nil {
		return nil, err
	}
	a.isReplay = true
	return a, nil
}

// Restart removes the answers that were recorded before, and sets the clock.
func (a *Answers) Restart(now time.Time) error {
	list, err := fs.Glob(a.root.FS(), AnswersDir+"/*-????????????.json")
	for _, name := range list {
		err = errors.Join(err, a.root.Remove(name))
	}
	a.Clock = now.UTC().Truncate(time.Minute)
	text, _ := a.Clock.MarshalText() // its year has four digits
	return errors.Join(err, atomicfile.WriteIn(a.root, path.Join(AnswersDir, clockFile), 0o644, fmt.Appendf(nil, "%q\n", text)))
}

// RecordAnswers opens the answers of a repository, to add to them. If there are none, the clock is zero, and Restart comes first.
func RecordAnswers(repo string) (*Answers, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return nil, err
	}
	a := &Answers{root: root, recorded: map[string]bool{}}
	text, err := root.ReadFile(path.Join(AnswersDir, clockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &a.Clock)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s/%s: %w", AnswersDir, clockFile, err), root.Close())
	}
	return a, nil
}

// Close closes the directory. It returns the errors of what could not be recorded.
func (a *Answers) Close() error { return errors.Join(a.err, a.root.Close()) }

// Recorded returns the number of calls whose answers were recorded.
func (a *Answers) Recorded() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.recorded)
}

// body is the body of a request or an answer: JSON, text, or other bytes in base64.
type body struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Text  string          `json:"text,omitempty"`
	Bytes []byte          `json:"bytes,omitempty"`
}

func bodyOf(text []byte) body {
	switch {
	case json.Valid(text):
		return body{JSON: text}
	case utf8.Valid(text):
		return body{Text: string(text)}
	}
	return body{Bytes: text}
}

func (b body) bytes() []byte {
	if b.JSON != nil {
		return b.JSON
	}
	return append([]byte(b.Text), b.Bytes...)
}

// answer is the contents of a file.
type answer struct {
	Method  string `json:"method"`
	Path    string `json:"path"` // with a query
	Request body   `json:"request"`
	Status  int    `json:"status"`
	Type    string `json:"type,omitempty"` // Content-Type of the answer
	Answer  body   `json:"answer"`
}

// maxAsked limits the body of a request that is recorded, in bytes.
const maxAsked = 32 << 20

// serve answers a call from its file, or records what next answers.
func (a *Answers) serve(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	asked, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsked))
	if err != nil {
		sendJSON(w, http.StatusBadRequest, map[string]string{"message": "read the request: " + err.Error()})
		return
	}
	call := answer{Method: r.Method, Path: r.URL.RequestURI(), Request: bodyOf(asked)}
	if a.isReplay {
		a.replay(w, call)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(asked))
	r.Header.Del("Accept-Encoding")
	to := &recorder{ResponseWriter: w, status: http.StatusOK}
	if next(to, r); r.Context().Err() != nil {
		return // the page has given up, and what was sent may be a part
	}
	call.Status, call.Type, call.Answer = to.status, to.Header().Get("Content-Type"), bodyOf(to.text.Bytes())
	a.record(call)
}

func (a *Answers) replay(w http.ResponseWriter, call answer) {
	name := call.file()
	text, err := a.root.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &call)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		sendJSON(w, http.StatusBadGateway, map[string]string{"message": "no answer to this call is in " + AnswersDir + ": record again"})
	case err != nil || call.Status < 200 || call.Status > 599:
		sendJSON(w, http.StatusBadGateway, map[string]string{"message": fmt.Sprintf("%s: not a recorded answer: %v", name, err)})
	default:
		w.Header().Set("Content-Type", call.Type)
		w.WriteHeader(call.Status)
		_, _ = w.Write(call.Answer.bytes())
	}
}

func (a *Answers) record(call answer) {
	text, err := json.MarshalIndent(call, "", "  ")
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		err = atomicfile.WriteIn(a.root, call.file(), 0o644, append(text, '\n'))
	}
	a.err = errors.Join(a.err, err)
	a.recorded[call.file()] = true
}

// moment matches a time within a query: its answer is that of another time.
var moment = regexp.MustCompile(`\b(1[0-9]{9}([0-9]{3})?|20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z|[+-][0-9]{2}:?[0-9]{2})?)\b`)

// file returns the path of the file of a call. Calls that ask for the same at other times have the same file.
func (a answer) file() string {
	at, _ := url.Parse(a.Path) // it was one
	asked := a.Request.bytes()
	var value any
	if json.Unmarshal(a.Request.JSON, &value) == nil {
		asked, _ = json.Marshal(withoutTimes(value)) // which sorts the members of objects
	}
	same := moment.ReplaceAllString(fmt.Sprintf("%s %s %s %s", a.Method, at.EscapedPath(), at.Query().Encode(), asked), "time")
	name := strings.Trim(unfit.ReplaceAllString(strings.TrimPrefix(at.Path, "/api/"), "-"), "-")
	return fmt.Sprintf("%s/%.60s-%.6x.json", AnswersDir, name, sha256.Sum256([]byte(same)))
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// withoutTimes removes the members that say when, or how large, and not what.
func withoutTimes(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range []string{"from", "to", "range", "startTime", "requestId", "intervalMs", "maxDataPoints", "datasourceId"} {
			delete(v, name)
		}
		for name, member := range v {
			v[name] = withoutTimes(member)
		}
	case []any:
		for i := range v {
			v[i] = withoutTimes(v[i])
		}
	}
	return value
}

// recorder keeps what is sent.
type recorder struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

// Unwrap is used by http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the headers.
func (w *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends data.
func (w *recorder) Write(p []byte) (int, error) {
	w.text.Write(p)
	return w.ResponseWriter.Write(p)
}
