package orphan

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestMain lets the test executable act as a parent, which starts a child and stays, and
// as that child, which waits until the parent has ended.
func TestMain(m *testing.M) {
	const role = "ORPHAN_TEST_ROLE"
	switch os.Getenv(role) {
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), role+"=child")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "child":
		ctx, stop := Context(context.Background())
		defer stop()
		_, _ = os.Stdout.WriteString("ready\n")
		<-ctx.Done()
	default:
		os.Exit(m.Run())
	}
}

func TestParentEnds(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("this system cannot wait for another process")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "ORPHAN_TEST_ROLE=parent")
	if _, err := parent.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	// The pipe ends when the last process that holds it has ended.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parent.Stdout = w
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	out := bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("the child printed %q (%v)", rest, err)
	}
}

func TestCallerEnds(t *testing.T) {
	t.Parallel()
	ctx, stop := Context(t.Context())
	if ctx.Err() != nil {
		t.Error("the context is done while the parent runs")
	}
	stop()
	<-ctx.Done()
}
