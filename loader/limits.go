package loader

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"
)

// ProcessLimits bound the resources that the process of a plugin may use. A zero value means
// no limit. All but CPU need Linux.
type ProcessLimits struct {
	Memory    Bytes  `yaml:"memory"`    // for data, heap and stacks; the garbage collector of Go backends aims for less than 90% of it
	CPU       int    `yaml:"cpu"`       // cores that a Go backend uses at the same time (GOMAXPROCS)
	OpenFiles uint64 `yaml:"openFiles"` // file descriptors
	// Processes counts the processes and threads of the user that the host runs as, since
	// that is what the system counts. It does not apply to root.
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
	f, err := os.Open(file)
	if err != nil {
		return l, err
	}
	defer f.Close()
	d := yaml.NewDecoder(io.LimitReader(f, maxLimitsFile))
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
	limits, own := l.Default, l.Plugins[id]
	if own.Memory != 0 {
		limits.Memory = own.Memory
	}
	if own.CPU != 0 {
		limits.CPU = own.CPU
	}
	if own.OpenFiles != 0 {
		limits.OpenFiles = own.OpenFiles
	}
	if own.Processes != 0 {
		limits.Processes = own.Processes
	}
	return limits
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

// apply limits a process that has just been started.
func (l ProcessLimits) apply(pid int) error {
	if l.Memory == 0 && l.OpenFiles == 0 && l.Processes == 0 {
		return nil
	}
	if err := l.set(pid); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	return nil
}

// hit describes the limit that a process reached, judging by its last output, or returns "".
func (l ProcessLimits) hit(output string) string {
	contains := func(texts ...string) bool {
		for _, text := range texts {
			if strings.Contains(strings.ToLower(output), text) {
				return true
			}
		}
		return false
	}
	switch {
	// The last two are of Go programs with the race detector.
	case l.Memory > 0 && contains("out of memory", "cannot allocate memory", "outofmemory", "memoryerror", "(errno: 12)", "address space collisions"):
		return fmt.Sprintf("it reached its memory limit of %s", l.Memory)
	case l.OpenFiles > 0 && contains("too many open files"):
		return fmt.Sprintf("it reached its limit of %d open files", l.OpenFiles)
	case l.Processes > 0 && contains("resource temporarily unavailable", "failed to create new os thread"):
		return fmt.Sprintf("it reached its limit of %d processes", l.Processes)
	}
	return ""
}
