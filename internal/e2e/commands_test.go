//go:build e2e && unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// leftOut is the beginning of command lines that are not run; "\n" ends a whole line.
type leftOut struct{ command, reason string }

// notRun has the command lines in the documents that TestCommandsInDocuments leaves out.
var notRun = []leftOut{
	{"go install github.com/slipway-dev/slipway/", "it needs a published version"},
	{"go get -tool github.com/slipway-dev/slipway/", "it needs a published version"},
	{"go get -tool github.com/magefile/mage", "it needs the network"},
	{"go get github.com/magefile/mage@latest", "it needs the network"},
	{"go mod init ", "it is a command of Go"},
	{"go tool mage scaffold datasource acme-hello-datasource -dir=", "TestTour runs it"},
	{"slipway verify --root-url=", "it needs a plugin that Grafana has signed"},
	{"go tool mage demo", ".ci/run runs it"},
	{"go tool mage e2e", ".ci/run runs it"},
	{"go tool mage lint", ".ci/run runs it"},
	{"go tool mage bench", "it takes minutes, and needs a quiet machine"},
	{"go tool mage docs", "it writes to this checkout; tests compare the documents"},
	{"go tool mage previewLocks", "it writes to this checkout, and needs the network"},
	{"go tool mage libraries", "it writes to this checkout, and needs the network"},
	{"go tool mage preview", "it downloads the libraries; the tests of the command and of preview use some of their own"},
	{"slipway preview", "it downloads the libraries"},
	{"go tool mage page", "it needs npm and a registry"},
	{"go tool mage pictures", "it writes to this checkout; TestPictures compares the pictures"},
	{"go tool mage templates", "it writes to this checkout, after go get"},
	{"go tool mage release", "tools/release has tests"},
	{"slipway host --plugins-dir=/srv/plugins --listen=:3000", "servers under test listen on loopback only"},
	{"SLIPWAY_TOKEN=... slipway plugins", "the tests of the command ask a host"},
	{"slipway scaffold\n", "it names the command, which needs a type and an id"},
	{"slipway scaffold --base=create-plugin\n", "it names the option, with a command that needs a type and an id"},
	{"slipway scaffold app acme-tide-app --base=create-plugin", "it downloads the generator; TestCreatePlugin compares the arguments"},
}

var (
	fence       = regexp.MustCompile("(?ms)^```.*?^```$")
	span        = regexp.MustCompile("`([^`\n]+)`")
	commandLine = regexp.MustCompile(`^\s*(?:\$ )?((?:[A-Z_]+=\S+ )?(?:go tool|go run|go install|go get|go mod|curl|slipway) .*)`)
	usageLine   = regexp.MustCompile(`<\w+>|\[\w+\]|\[dir\|url\]|\[plugin\|config\]| is at |^curl \.\.\.`)
)

// commandsInDocuments returns the command lines that the documents print, each once, with the document.
func commandsInDocuments(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	names := testkit.Must(filepath.Glob(filepath.Join(root, "doc", "*.md")))(t)
	commands := map[string]string{}
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text := testkit.ReadFile(t, name)
		var lines []string
		for _, block := range fence.FindAllString(text, -1) {
			lines = append(lines, strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n")...)
		}
		for _, m := range span.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			lines = append(lines, m[1])
		}
		for _, line := range lines {
			if m := commandLine.FindStringSubmatch(line); m != nil && !usageLine.MatchString(m[1]) {
				command, _, _ := strings.Cut(m[1], "   #")
				commands[strings.TrimSpace(command)] = filepath.Base(name)
			}
		}
	}
	return commands
}

// before has what must happen before commands, as scripts.
var before = map[string]string{
	"slipway init --undo":                                   "rm magefile.go && slipway init",
	"slipway init --dir=plugins/acme-hello-datasource":      "rm -r plugins/* && cp -r ../panel plugins/acme-hello-datasource",
	"slipway scaffold datasource acme-tide-datasource":      "slipway scaffold app acme-weather-app --dir=../acme-weather-app",
	"slipway build --all":                                   "rm -r plugins", // the copy of a dist is no repository to build
	"go tool mage validate -baseline=slipway-baseline.json": "slipway validate --write-baseline=slipway-baseline.json",
}

// documented is a repository with the files that the commands in the documents name.
type documented struct {
	dir  string // the repository
	path string // PATH, with the command slipway
}

func newDocumented(t *testing.T) *documented {
	t.Helper()
	slipway := slipwayCommand(t)
	d := &documented{dir: filepath.Join(t.TempDir(), pluginID), path: filepath.Dir(slipway) + ":" + os.Getenv("PATH")}
	run(t, 0, "", slipway, "scaffold", "panel", "acme-gauge-panel", "--dir", filepath.Join(filepath.Dir(d.dir), "panel"))
	run(t, 0, "", slipway, "scaffold", "datasource", pluginID, "--profile=both", "--dir", d.dir)
	d.shell(t, d.dir, `
		sed -i 's/"version": "0.1.0"/"version": "1.0.0"/' package.json
		slipway build --platforms=linux/amd64
		mkdir -p plugins && cp -r dist plugins/acme-hello-datasource
		slipway package
		echo '{"apiKey":"secret"}' > secrets.json`)
	return d
}

// shell runs a script and requires that it succeeds.
func (d *documented) shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+d.path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// run runs a command line in a copy of the repository, so that none depends on another.
func (d *documented) run(t *testing.T, command string) {
	t.Helper()
	dir := t.TempDir()
	d.shell(t, dir, "cp -r "+filepath.Dir(d.dir)+"/. .")
	dir = filepath.Join(dir, pluginID)
	if strings.HasPrefix(command, "slipway scaffold ") && !strings.Contains(command, " update") {
		dir = t.TempDir() // no repository is made inside another one
	}
	for start, script := range before {
		if strings.HasPrefix(command, start) {
			d.shell(t, dir, script)
		}
	}
	if strings.Contains(command, " -d=..") {
		dir = filepath.Join(dir, "src")
	}
	verb := strings.Fields(command)
	switch {
	case verb[0] == "curl":
		h := d.serve(t, dir, "slipway host")
		command = strings.NewReplacer("PASSWORD", `'`+password+`'`, "http://127.0.0.1:3000", h.url, "curl ", "curl --fail --silent --show-error ").Replace(command)
		d.shell(t, dir, command)
		h.terminate(t)
	case slices.Contains(verb, "host"), slices.Contains(verb, "dev"):
		h := d.serve(t, dir, command)
		if err := syscall.Kill(-h.cmd.Process.Pid, syscall.SIGINT); err != nil { // as a terminal does
			t.Error(err)
		}
		<-h.ended // with the status of Mage, if it runs the command
	default:
		d.shell(t, dir, command)
	}
}

// serve starts a command that runs a host, on any port.
func (d *documented) serve(t *testing.T, dir, command string) *server {
	t.Helper()
	listen := " --listen=127.0.0.1:0"
	if strings.HasPrefix(command, "go tool mage") {
		listen = " -listen=127.0.0.1:0"
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec "+command+listen)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+d.path, "SLIPWAY_ADMIN_PASSWORD="+password, "BROWSER=true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return serve(t, cmd)
}

// TestCommandsInDocuments runs every command line that the documents print, in a repository with the files that they name.
func TestCommandsInDocuments(t *testing.T) {
	t.Parallel()
	commands := commandsInDocuments(t)
	if len(commands) < 60 {
		t.Fatalf("found only %d command lines", len(commands))
	}
	used := map[string]bool{}
	d := newDocumented(t)
	t.Run("documents", func(t *testing.T) {
		for command, document := range commands {
			if left := slices.IndexFunc(notRun, func(left leftOut) bool { return strings.HasPrefix(command+"\n", left.command) }); left >= 0 {
				used[notRun[left].command] = true
				t.Logf("%s: %s is not run: %s", document, command, notRun[left].reason)
				continue
			}
			t.Run(document+": "+command, func(t *testing.T) {
				t.Parallel()
				d.run(t, command)
			})
		}
	})
	for _, left := range notRun {
		if !used[left.command] {
			t.Errorf("no document has a command that begins with %q: remove it from notRun", left.command)
		}
	}
}
