package bundle

import (
	"cmp"
	_ "embed" // faults.txt
	"strings"
	"time"
)

// Fault explains why a plugin is not mounted, not running, or does not meet the contract. A
// fault never affects other plugins. A *Fault is an error.
type Fault struct {
	Code     FaultCode
	Path     string // absolute path of the file or directory
	PluginID string // "" if unknown
	Reason   string // one sentence
	Advice   string // what to do, where the help of the code does not fit; or ""

	Line, Column int       // in the file at Path, from 1; 0 if unknown
	Since        time.Time // zero if it was not recorded
	Stderr       []string  // the last lines of a process, without control characters
}

// Error returns the reason, the help and the last output of the process.
func (f *Fault) Error() string {
	text := f.Reason
	if help := f.Help(); help != "" {
		text += ": " + help
	}
	if len(f.Stderr) > 0 {
		text += "; last output: " + strings.Join(f.Stderr, " | ")
	}
	return text
}

// Help returns what to do.
func (f *Fault) Help() string { return cmp.Or(f.Advice, f.Code.Help()) }

// KeepSince sets the time of each fault to that of the same fault in earlier, or else to now.
func KeepSince(earlier, faults []Fault, now time.Time) {
	type key struct {
		code             FaultCode
		path, id, reason string
	}
	keyOf := func(f Fault) key { return key{f.Code, f.Path, f.PluginID, f.Reason} }
	known := map[key]time.Time{}
	for _, f := range earlier {
		known[keyOf(f)] = f.Since
	}
	for i, f := range faults {
		faults[i].Since = now
		if since, ok := known[keyOf(f)]; ok {
			faults[i].Since = since
		}
	}
}

// Stage is the step at which a plugin failed.
type Stage string

// The stages, in the order in which a plugin passes through them.
const (
	StageDiscover  Stage = "discover"  // find directories with a plugin.json
	StageRead      Stage = "read"      // read plugin.json
	StageValidate  Stage = "validate"  // check the values that a host needs
	StageResolve   Stage = "resolve"   // find the executable, and the host and plugins that it depends on
	StageLaunch    Stage = "launch"    // start the process
	StageHandshake Stage = "handshake" // agree on a connection
	StageHealth    Stage = "health"    // check the health of the running process
	StageRun       Stage = "run"       // serve calls
)

// FaultCode is the kind of a Fault, for programs.
type FaultCode string

// The kinds of faults. FaultKinds describes them.
const (
	FaultMissingRoot  FaultCode = "missing-root"
	FaultUnreadable   FaultCode = "unreadable"
	FaultTooDeep      FaultCode = "too-deep"
	FaultLink         FaultCode = "broken-link"
	FaultLinkOutside  FaultCode = "link-outside"
	FaultUnbuilt      FaultCode = "unbuilt-dist"
	FaultDuplicateID  FaultCode = "duplicate-id"
	FaultUnreadFile   FaultCode = "unreadable-file"
	FaultTooLarge     FaultCode = "too-large"
	FaultInvalidJSON  FaultCode = "invalid-json"
	FaultInvalidValue FaultCode = "invalid-value"
	FaultMissingID    FaultCode = "missing-id"
	FaultInvalidID    FaultCode = "invalid-id"
	FaultUnknownType  FaultCode = "unknown-type"
	FaultIncomplete   FaultCode = "incomplete"
	FaultRole         FaultCode = "role-refused"

	FaultServiceRange        FaultCode = "service-range"
	FaultInvalidRange        FaultCode = "invalid-range"
	FaultDependencyMissing   FaultCode = "dependency-missing"
	FaultDependencyType      FaultCode = "dependency-type"
	FaultDependencyRange     FaultCode = "dependency-range"
	FaultNoExecutable        FaultCode = "executable-undeclared"
	FaultExecutableOutside   FaultCode = "executable-outside"
	FaultExecutableMissing   FaultCode = "executable-missing"
	FaultExecutableIrregular FaultCode = "executable-irregular"
	FaultExecutableUnread    FaultCode = "executable-unreadable"
	FaultNotExecutable       FaultCode = "not-executable"
	FaultWrongPlatform       FaultCode = "wrong-platform"

	FaultToken       FaultCode = "token-refused"
	FaultCopy        FaultCode = "copy-failed"
	FaultExec        FaultCode = "exec-failed"
	FaultExecDenied  FaultCode = "exec-denied"
	FaultExecFormat  FaultCode = "exec-format"
	FaultInterpreter FaultCode = "interpreter-missing"
	FaultLibrary     FaultCode = "library-missing"

	FaultHandshake     FaultCode = "handshake-failed"
	FaultTimeout       FaultCode = "handshake-timeout"
	FaultOutput        FaultCode = "handshake-output"
	FaultExitedAtStart FaultCode = "exited-at-start"
	FaultKilledAtStart FaultCode = "killed-at-start"
	FaultPanicAtStart  FaultCode = "panic-at-start"
	FaultCookie        FaultCode = "wrong-cookie"
	FaultProtocol      FaultCode = "wrong-protocol"
	FaultTransport     FaultCode = "wrong-transport"
	FaultHealth        FaultCode = "health-failed"
	FaultHealthError   FaultCode = "health-error"
	FaultHealthTimeout FaultCode = "health-timeout"
	FaultNotRunning    FaultCode = "not-running"
	FaultExited        FaultCode = "exited"
	FaultKilled        FaultCode = "killed"
	FaultPanic         FaultCode = "panic"
	FaultOutOfMemory   FaultCode = "out-of-memory"
	FaultDeaf          FaultCode = "not-responding"
)

// FaultKind describes the faults with one code.
type FaultKind struct {
	Code    FaultCode
	Stage   Stage
	Summary string // what happened, without a period
	Help    string // what to do, without a period
}

//go:embed faults.txt
var faultsText string

// FaultKinds returns every kind of fault, in the order of the stages: those of faults.txt, where a
// code, its summary and its help have a line each below the stage.
func FaultKinds() (kinds []FaultKind) {
	var stage Stage
	for entry := range strings.SplitSeq(strings.TrimSpace(faultsText), "\n\n") {
		lines := strings.Split(entry, "\n")
		if len(lines) == 1 {
			stage = Stage(strings.Trim(entry, "[]"))
			continue
		}
		kinds = append(kinds, FaultKind{FaultCode(lines[0]), stage, lines[1], lines[2]})
	}
	return kinds
}

// kind returns the description of a code, which is zero for an unknown code.
func (c FaultCode) kind() FaultKind {
	for _, k := range FaultKinds() {
		if k.Code == c {
			return k
		}
	}
	return FaultKind{}
}

// Stage returns the stage at which faults with the code occur.
func (c FaultCode) Stage() Stage { return c.kind().Stage }

// Help returns what to do about a fault with the code.
func (c FaultCode) Help() string { return c.kind().Help }
