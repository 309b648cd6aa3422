//go:build unix

package loader

import (
	"syscall"
	"testing"
)

// BenchmarkKill measures the time from kill -9 of a backend to the response of the next one.
func BenchmarkKill(b *testing.B) {
	root := b.TempDir()
	writePlugin(b, root, "a", "ok", "")
	for b.Loop() {
		b.StopTimer()
		l := must(New(Options{Dirs: []string{root}}))(b)
		if err := l.Reload(b.Context()); err != nil {
			b.Fatal(err)
		}
		p, _ := l.Plugin("a")
		proc := p.current
		b.StartTimer()
		if err := syscall.Kill(proc.PID(), syscall.SIGKILL); err != nil {
			b.Fatal(err)
		}
		<-proc.Exited()
		if _, err := fetch(b.Context(), p, "x"); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
