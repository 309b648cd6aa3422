package loader

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/limit"
)

// ProcessLimits bound the resources that the process of a plugin may use. A zero value means
// no limit. All but CPU need Linux. If the host may divide its cgroup, each process gets a
// cgroup with the limits, which also bind the processes that it starts. Otherwise, rlimits do
// what they can.
type ProcessLimits struct {
	// Memory is all memory in a cgroup, and otherwise the data, heap and stacks. The garbage
	// collector of Go backends aims for less than 90% of it.
	Memory Bytes `yaml:"memory"`
	// CPU is the number of cores. Without a cgroup, only Go backends respect it (GOMAXPROCS).
	CPU       int    `yaml:"cpu"`
	OpenFiles uint64 `yaml:"openFiles"` // file descriptors
	// Processes counts processes and threads. Without a cgroup, these are all those of the
	// user that the host runs as, and there is no limit for root.
	Processes uint64 `yaml:"processes"`
}

// Bytes is a number of bytes, in YAML with a unit, such as 512MiB.
type Bytes uint64

// UnmarshalYAML implements yaml.Unmarshaler.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	size, err := humanize.ParseBytes(n.Value)
	if err != nil || size > math.MaxInt64 {
		return fmt.Errorf("line %d: invalid size %q: use a number of bytes or one with a unit, such as 512MiB", n.Line, n.Value)
	}
	*b = Bytes(size)
	return nil
}

// String returns the size with a unit.
func (b Bytes) String() string { return humanize.IBytes(uint64(b)) }

// PluginLimits are the limits of all plugins. The zero value has none.
type PluginLimits struct {
	Default ProcessLimits            `yaml:"default"`
	Plugins map[string]ProcessLimits `yaml:"plugins"` // by id; a value that is not 0 replaces that of Default
}

// minMemory is the smallest memory limit: the runtime of Go needs about a quarter of it
// to start.
const minMemory = 64 << 20

// maxLimitsFile is the size in bytes up to which ReadPluginLimits reads a file.
const maxLimitsFile = 1 << 20

// ReadPluginLimits reads a YAML file with the keys of PluginLimits.
func ReadPluginLimits(file string) (l PluginLimits, err error) {
	f, err := os.Open(file) // which may be a pipe
	if err != nil {
		return l, err
	}
	defer f.Close()
	text, err := limit.ReadAll(f, maxLimitsFile)
	if err != nil {
		return l, fmt.Errorf("read %s: %w", file, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&l); err != nil && !errors.Is(err, io.EOF) {
		return PluginLimits{}, fmt.Errorf("read %s: %w", file, err)
	}
	err = l.Default.check("default")
	for id, own := range l.Plugins {
		err = errors.Join(err, own.check("plugins."+id))
	}
	if err != nil {
		return PluginLimits{}, fmt.Errorf("read %s: %w", file, err)
	}
	return l, nil
}

func (l ProcessLimits) check(path string) error {
	switch {
	case l.Memory != 0 && l.Memory < minMemory:
		return fmt.Errorf("%s.memory must be at least %s", path, Bytes(minMemory))
	case l.CPU < 0:
		return fmt.Errorf("%s.cpu must not be negative", path)
	}
	return nil
}

// of returns the limits of a plugin.
func (l PluginLimits) of(id string) ProcessLimits {
	own := l.Plugins[id]
	return ProcessLimits{
		Memory: cmp.Or(own.Memory, l.Default.Memory), CPU: cmp.Or(own.CPU, l.Default.CPU),
		OpenFiles: cmp.Or(own.OpenFiles, l.Default.OpenFiles), Processes: cmp.Or(own.Processes, l.Default.Processes),
	}
}

// environ returns the variables that make the runtime of Go respect the limits.
func (l ProcessLimits) environ() (env []string) {
	if l.Memory > 0 {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", l.Memory/10*9))
	}
	if l.CPU > 0 {
		env = append(env, fmt.Sprintf("GOMAXPROCS=%d", l.CPU))
	}
	return env
}

// apply sets the rlimits of a process that has just been started in a cgroup, or in none.
func (l ProcessLimits) apply(pid int, g *cgroup) error {
	if g != nil {
		l.Memory, l.Processes = 0, 0
	}
	if l.Memory == 0 && l.OpenFiles == 0 && l.Processes == 0 {
		return nil
	}
	if err := l.set(pid); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	return nil
}

// limitEvents are what a cgroup reports about the limits of its processes.
type limitEvents struct {
	isKnown   bool          // there was a cgroup
	memory    uint64        // how often the limit was exceeded
	processes uint64        // that could not be started
	throttled time.Duration // how long threads had to wait
}

// minThrottled is the least delay that is worth reporting.
const minThrottled = time.Second

// hit describes the limit that a process reached, or returns "". Without a cgroup, it judges
// memory and processes by the last output, as it always does open files.
func (l ProcessLimits) hit(output string, e limitEvents) string {
	contains := func(texts ...string) bool { return containsAny([]string{strings.ToLower(output)}, texts...) }
	switch {
	// The last two are of Go programs with the race detector.
	case l.Memory > 0 && (e.memory > 0 || !e.isKnown && contains("out of memory", "cannot allocate memory", "outofmemory", "memoryerror", "(errno: 12)", "address space collisions")):
		return fmt.Sprintf("it reached its memory limit of %s", l.Memory)
	case l.OpenFiles > 0 && contains("too many open files"):
		return fmt.Sprintf("it reached its open-file limit of %d", l.OpenFiles)
	case l.Processes > 0 && (e.processes > 0 || !e.isKnown && contains("resource temporarily unavailable", "failed to create new os thread")):
		return fmt.Sprintf("it reached its process limit of %d", l.Processes)
	case l.CPU > 0 && e.throttled >= minThrottled:
		return fmt.Sprintf("its CPU limit of %d delayed it by %s", l.CPU, e.throttled.Round(time.Millisecond))
	}
	return ""
}
