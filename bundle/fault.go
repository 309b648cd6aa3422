package bundle

import (
	"fmt"
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

	Line, Column int       // in the file at Path, from 1; 0 if unknown
	Since        time.Time // zero if it was not recorded
	Stderr       []string  // the last lines of a process, without control characters
}

// Error returns the reason, the help and the last output of the process.
func (f *Fault) Error() string {
	text := f.Reason
	if help := f.Code.Help(); help != "" {
		text += ": " + help
	}
	if len(f.Stderr) > 0 {
		text += "; last output: " + strings.Join(f.Stderr, " | ")
	}
	return text
}

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
	StageVerify    Stage = "verify"    // compare the plugin with its manifest and signature
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

	FaultNotVerified  FaultCode = "not-verified"
	FaultChanged      FaultCode = "manifest-mismatch"
	FaultUnsigned     FaultCode = "unsigned"
	FaultUntrusted    FaultCode = "untrusted-signature"
	FaultBadSignature FaultCode = "invalid-signature"

	FaultServiceRange        FaultCode = "service-range"
	FaultInvalidRange        FaultCode = "invalid-range"
	FaultDependencyMissing   FaultCode = "dependency-missing"
	FaultDependencyType      FaultCode = "dependency-type"
	FaultDependencyRange     FaultCode = "dependency-range"
	FaultDependencyCycle     FaultCode = "dependency-cycle"
	FaultNoExecutable        FaultCode = "executable-undeclared"
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
	FaultHandlerPanic  FaultCode = "handler-panic"
	FaultDeaf          FaultCode = "not-responding"
)

// FaultKind describes the faults with one code.
type FaultKind struct {
	Code    FaultCode
	Stage   Stage
	Summary string // what happened, without a period
	Help    string // what to do, without a period
}

// FaultKinds returns every kind of fault, in the order of the stages.
func FaultKinds() []FaultKind {
	return []FaultKind{
		{FaultMissingRoot, StageDiscover, "a directory of plugins that the host searches does not exist", "create it or configure another"},
		{FaultUnreadable, StageDiscover, "a directory cannot be read", "give the user that runs the host access to it"},
		{FaultTooDeep, StageDiscover, fmt.Sprintf("a directory is nested more than %d levels deep", maxDepth), "move the plugin up"},
		{FaultLink, StageDiscover, "a symbolic link is broken or points to itself", "point it at a directory or delete it"},
		{FaultLinkOutside, StageDiscover, "a symbolic link in a plugin points to another plugin outside of it", "replace it with a copy"},
		{FaultUnbuilt, StageDiscover, "a plugin directory has a dist without plugin.json", "build the plugin again, or delete dist"},
		{FaultDuplicateID, StageDiscover, "two directories contain plugins with the same id; the first is mounted", "remove one of them"},

		{FaultUnreadFile, StageRead, "plugin.json cannot be read", "give the user that runs the host access to it"},
		{FaultTooLarge, StageRead, fmt.Sprintf("plugin.json is larger than %d MiB", maxMetadataBytes>>20), "move data that is not metadata to other files of the plugin"},
		{FaultInvalidJSON, StageRead, "plugin.json is not valid JSON", "correct it at the reported line; validate the plugin to list every error"},

		{FaultInvalidValue, StageValidate, "a key of plugin.json has a value of the wrong type", "correct the value; validate the plugin to list every error"},
		{FaultMissingID, StageValidate, "plugin.json has no id", "add one"},
		{FaultInvalidID, StageValidate, "the id cannot be used in URLs and account names, or is reserved", "use letters, digits, hyphens, dots and underscores, and start with a letter or digit"},
		{FaultUnknownType, StageValidate, "the type is unknown", "use app, datasource, panel, renderer or secretsmanager"},
		{FaultIncomplete, StageValidate, "plugin.json lacks required keys; the plugin is mounted anyway", "add them; validate the plugin for details"},
		{FaultRole, StageValidate, "a role in plugin.json is not registered", "grant only actions that start with the id of the plugin"},

		{FaultNotVerified, StageVerify, "the manifest cannot be read or belongs to another plugin", "install the plugin again"},
		{FaultChanged, StageVerify, "the files of the plugin differ from its manifest", "install the plugin again"},
		{FaultUnsigned, StageVerify, "the host requires signatures and the plugin has none", "install a release that is signed with a trusted key"},
		{FaultUntrusted, StageVerify, "the plugin is signed with a key that the host does not trust", "install a release that is signed with a trusted key, or trust its key"},
		{FaultBadSignature, StageVerify, "the signature does not match the manifest", "install a release that is signed with a trusted key"},

		{FaultServiceRange, StageResolve, "the plugin requires a different version of the service; the plugin is mounted anyway", "install a release of the plugin for this version of the service, or make the host report a version that the plugin supports"},
		{FaultInvalidRange, StageResolve, "the range of service versions is invalid and is not checked", "write a range such as >=10.4.0"},
		{FaultDependencyMissing, StageResolve, "a required plugin is not mounted; the plugin is mounted anyway", "install the required plugin"},
		{FaultDependencyType, StageResolve, "a required plugin has a different type than plugin.json declares; the plugin is mounted anyway", "correct the type in dependencies.plugins, or install the intended plugin"},
		{FaultDependencyRange, StageResolve, "a required plugin has a version outside the required range; the plugin is mounted anyway", "install a version of the required plugin within the range"},
		{FaultDependencyCycle, StageResolve, "plugins require each other; they start in no particular order", "remove one of the dependencies"},
		{FaultNoExecutable, StageResolve, `plugin.json sets "backend" but not "executable"`, `set "executable" to the first part of the file name of the executable`},
		{FaultExecutableMissing, StageResolve, "the plugin has no executable for the platform of the host", "build or install the plugin for this platform"},
		{FaultExecutableIrregular, StageResolve, "the executable is not a regular file", "replace it with a regular file"},
		{FaultExecutableUnread, StageResolve, "the executable cannot be read or has a damaged header", "give the user that runs the host access to it, and build or install the plugin again"},
		{FaultNotExecutable, StageResolve, "the executable does not have execute permission", "run chmod +x on it, and check the tool that unpacked it"},
		{FaultWrongPlatform, StageResolve, "the executable is built for another operating system or architecture", "build or install the plugin for this platform"},

		{FaultToken, StageLaunch, "the host issued no token for the service account of the plugin", "check the permissions in iam, and that the host can write to its database"},
		{FaultCopy, StageLaunch, "the executable could not be copied to a private directory", "if a build is in progress, wait until it ends; otherwise, free up space in the directory for temporary files"},
		{FaultExec, StageLaunch, "the system could not start the executable", "check the limits of the host's user, and try to start the executable by hand"},
		{FaultExecDenied, StageLaunch, "the system denied permission to start the executable", "if the directory for temporary files is mounted noexec, set TMPDIR to another directory"},
		{FaultExecFormat, StageLaunch, "the executable has a format that the system cannot run", "build the plugin again; a script must begin with #! and its interpreter"},
		{FaultInterpreter, StageLaunch, "the interpreter of a script or the dynamic loader of an executable does not exist", "install the interpreter, or build the plugin with CGO_ENABLED=0"},
		{FaultLibrary, StageLaunch, "a shared library of the executable is not installed", "install the library, or build the plugin with CGO_ENABLED=0"},

		{FaultHandshake, StageHandshake, "the connection to the process could not be established", "build the plugin with a current SDK"},
		{FaultTimeout, StageHandshake, "the process printed no handshake within the start timeout", "call sdk.Serve in main before any slow work"},
		{FaultOutput, StageHandshake, "the process printed other text to standard output before the handshake", "print to standard error, or use a logger"},
		{FaultExitedAtStart, StageHandshake, "the process exited or closed standard output before the handshake", "read the last lines of its output"},
		{FaultKilledAtStart, StageHandshake, "the process was killed by a signal before the handshake", "check the system log and the memory limit of the process"},
		{FaultPanicAtStart, StageHandshake, "the process panicked before the handshake", "correct the code at the line of the panic"},
		{FaultCookie, StageHandshake, "the executable is a plugin for another kind of host", "use the magic cookie of this kind of host in the handshake, as the SDKs do"},
		{FaultProtocol, StageHandshake, "the process uses a different version of the plugin protocol", "build the plugin with a current SDK"},
		{FaultTransport, StageHandshake, "the process does not use gRPC", "build the plugin with a current SDK"},

		{FaultHealth, StageHealth, "the last health check of the plugin failed", "correct the settings, or check the service that the message names"},
		{FaultHealthError, StageHealth, "the last health check of the plugin returned an error instead of a status", "read the last lines of the output of the process"},
		{FaultHealthTimeout, StageHealth, "the plugin did not respond to the last health check in time", "make CheckHealth return before the time limit, and look for deadlocks"},

		{FaultNotRunning, StageRun, "the process is not running", "read the last lines of its output"},
		{FaultExited, StageRun, "the process exited unexpectedly within the last few minutes", "return errors from handlers instead of calling os.Exit"},
		{FaultKilled, StageRun, "the process was killed by a signal within the last few minutes", "check the system log and the memory limit of the process"},
		{FaultPanic, StageRun, "the process ended with a panic within the last few minutes", "correct the code at the line of the panic"},
		{FaultOutOfMemory, StageRun, "the process ran out of memory within the last few minutes", "allow it more memory, or make its handlers use less"},
		{FaultDeaf, StageRun, "the process did not respond to several probes in a row and was replaced", "find what blocks it, such as a lock that is never released"},
		{FaultHandlerPanic, StageRun, "a handler of the running process panicked", "correct the code at the line of the panic, which the log of the plugin contains"},
	}
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
