//go:build linux

package process_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A child of the same user cannot read the environment that a protected process was
// started with. Without the protection it can, which shows that the test would notice.
func TestProtect(t *testing.T) {
	t.Parallel()
	switch os.Getenv("TEST_PROTECT") {
	case "reader":
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		fmt.Printf("saw %v, denied %v\n", strings.Contains(string(data), "hunter2"), errors.Is(err, fs.ErrPermission))
		return
	case "protected", "open":
		if os.Getenv("TEST_PROTECT") == "protected" {
			testkit.OK(t, process.Protect())
		}
		reader := exec.Command(os.Args[0], "-test.run=^TestProtect$")
		reader.Env = []string{"TEST_PROTECT=reader"}
		out, err := reader.Output()
		fmt.Printf("%s%v\n", out, err)
		return
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = self.Close() }()
	dir := testkit.Must(os.MkdirTemp("", "protect"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	syscall.ForkLock.RLock() // a child that is forked meanwhile would keep the copy busy
	copied, err := os.OpenFile(filepath.Join(dir, "x.test"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(copied, self)
		err = errors.Join(err, copied.Close(), os.Chmod(dir, 0o755))
	}
	syscall.ForkLock.RUnlock()
	testkit.OK(t, err)
	for mode, want := range map[string]string{"protected": "saw false, denied true", "open": "saw true, denied false"} {
		c := exec.Command(copied.Name(), "-test.run=^TestProtect$")
		c.Dir, c.Env = "/", []string{"TEST_PROTECT=" + mode, "PASSWORD=hunter2"}
		if os.Getuid() == 0 { // root may read everything
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %s%v, want %s", mode, out, err, want)
		}
	}
}
