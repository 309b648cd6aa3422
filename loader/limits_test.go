package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadPluginLimits(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "limits.yaml")
	for text, want := range map[string]string{
		"":                            "",
		"default: {memory: 512MiB}\n": "",
		"default: {memory: 1GB, cpu: 2, openFiles: 100, processes: 50}\nplugins: {a: {memory: 2GiB}}\n": "",
		"memory: 1GiB\n":                                               "field memory not found",
		"default: {memory: much}\n":                                    `line 1: invalid size "much"`,
		"default: {memory: 1MiB}\n":                                    "default.memory must be at least 64 MiB",
		"default: {memory: 99999999999GiB}\n":                          "invalid size",
		"plugins: {a: {cpu: -1}}\n":                                    "plugins.a.cpu must not be negative",
		"plugins: {a: {openFiles: -1}}\n":                              "cannot unmarshal",
		"default: {}\ndefault: {}\n":                                   "already defined",
		"default: " + strings.Repeat("[", 2000):                        "read ",
		strings.Repeat("#\n", maxLimitsFile/2) + "default: {cpu: 1}\n": "larger than 1 MiB",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPluginLimits(file); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want %q", text, err, want)
		}
	}
}

func TestLimitsOfAPlugin(t *testing.T) {
	t.Parallel()
	l := PluginLimits{
		Default: ProcessLimits{Memory: 1 << 30, CPU: 2, OpenFiles: 100, Processes: 50},
		Plugins: map[string]ProcessLimits{"a": {Memory: 2 << 30, Processes: 10}, "b": {CPU: 1, OpenFiles: 7}},
	}
	for id, want := range map[string]ProcessLimits{
		"a":     {Memory: 2 << 30, CPU: 2, OpenFiles: 100, Processes: 10},
		"b":     {Memory: 1 << 30, CPU: 1, OpenFiles: 7, Processes: 50},
		"other": l.Default,
	} {
		if diff := cmp.Diff(want, l.of(id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestLimitHit(t *testing.T) {
	t.Parallel()
	l := ProcessLimits{Memory: 128 << 20, CPU: 2, OpenFiles: 100, Processes: 50}
	const memory, files, processes = "it reached its memory limit of 128 MiB", "it reached its open-file limit of 100", "it reached its process limit of 50"
	for _, c := range []struct {
		limits ProcessLimits
		output string
		events limitEvents
		want   string
	}{
		{l, "done", limitEvents{}, ""},
		{l, "fatal error: runtime: out of memory", limitEvents{}, memory},
		{l, "accept: too many open files", limitEvents{}, files},
		{l, "fork: Resource temporarily unavailable", limitEvents{}, processes},
		{ProcessLimits{CPU: 2}, "runtime: out of memory, too many open files", limitEvents{}, ""},
		{l, "", limitEvents{isKnown: true, memory: 1, processes: 1}, memory},
		{l, "", limitEvents{isKnown: true, processes: 1}, processes},
		{l, "accept: too many open files", limitEvents{isKnown: true}, files},
		{l, "java.lang.OutOfMemoryError; resource temporarily unavailable", limitEvents{isKnown: true}, ""},
		{l, "", limitEvents{isKnown: true, throttled: 1234567890}, "its CPU limit of 2 delayed it by 1.235s"},
		{l, "", limitEvents{isKnown: true, throttled: minThrottled - 1}, ""},
		{ProcessLimits{OpenFiles: 100}, "", limitEvents{isKnown: true, memory: 1, processes: 1, throttled: minThrottled}, ""},
	} {
		if got := c.limits.hit(c.output, c.events); got != c.want {
			t.Errorf("%q, %+v: %q, want %q", c.output, c.events, got, c.want)
		}
	}
}
