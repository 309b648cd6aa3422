package sdktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// EnvUpdate is the environment variable that makes Golden write its files if it is not
// empty: UPDATE_GOLDEN=1 go test ./...
const EnvUpdate = "UPDATE_GOLDEN"

type golden struct {
	Status int               `json:"status"`
	Error  string            `json:"error,omitempty"`
	Source sdk.Source        `json:"errorSource,omitempty"`
	Frames []json.RawMessage `json:"frames"` // as hosts send them to browsers
}

// Golden compares a query's response with a file of indented JSON, and fails the test with
// the first difference. If UPDATE_GOLDEN is set, it writes the file instead.
func Golden(t testing.TB, file string, response sdk.DataResponse) {
	t.Helper()
	got, err := goldenText(response)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(EnvUpdate) != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s does not exist; to create it, run %s=1 go test", file, EnvUpdate)
	}
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if !bytes.Equal(got, want) {
		t.Errorf("the response differs from %s (to update it, run %s=1 go test):\n%s", file, EnvUpdate,
			firstDifference(string(got), string(want)))
	}
}

func goldenText(response sdk.DataResponse) ([]byte, error) {
	g := golden{Status: response.Status, Frames: []json.RawMessage{}}
	if response.Err != nil {
		g.Error, g.Source = response.Err.Error(), sdk.SourcePlugin
		if e, ok := errors.AsType[*sdk.Error](response.Err); ok {
			g.Error, g.Source = e.Message, e.Source
		}
	}
	list, err := parseFrames(response)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		text, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("frame %q: %w", f.Name, err)
		}
		g.Frames = append(g.Frames, text)
	}
	text, err := json.MarshalIndent(g, "", "  ")
	return append(text, '\n'), err
}

// Frames returns the frames of a response, and fails the test if one cannot be read. To
// read the values of a field, assert its type:
//
//	prices := sdktest.Frames(t, response)[0].Fields[1].(*frame.Column[float64]).Values
func Frames(t testing.TB, response sdk.DataResponse) []*frame.Frame {
	t.Helper()
	frames, err := parseFrames(response)
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

func parseFrames(response sdk.DataResponse) ([]*frame.Frame, error) {
	frames := make([]*frame.Frame, len(response.Frames))
	for n, in := range response.Frames {
		file, err := in.MarshalArrow()
		if err == nil {
			frames[n], err = frame.Parse(file)
		}
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", n, err)
		}
	}
	return frames, nil
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for n := range max(len(a), len(b)) {
		line := func(list []string) string {
			if n < len(list) {
				return list[n]
			}
			return "(end of file)"
		}
		if line(a) != line(b) {
			return fmt.Sprintf("line %d\n  got  %s\n  want %s", n+1, line(a), line(b))
		}
	}
	return ""
}
