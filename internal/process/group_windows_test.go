package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// A group ends when the process that started it is killed, even if its processes do not
// look for their parent.
func TestGroupEndsWithParent(t *testing.T) {
	t.Parallel()
	const role = "TEST_GROUP"
	command := func(as string, out *os.File) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGroupEndsWithParent$")
		cmd.Env, cmd.Stdout = append(os.Environ(), role+"="+as), out
		return cmd
	}
	switch os.Getenv(role) {
	case "parent":
		testkit.OK(t, NewGroup(command("child", os.Stdout)).Start())
		time.Sleep(time.Hour)
	case "child":
		_, _ = os.Stdout.WriteString("ready\n")
		time.Sleep(time.Hour)
	}
	r, w, err := os.Pipe() // ends when the last process that holds it has ended
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parent := command("parent", w)
	testkit.OK(t, parent.Start())
	w.Close()
	out := bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	testkit.OK(t, parent.Process.Kill())
	_ = parent.Wait()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("the child printed %q (%v)", rest, err)
	}
}
