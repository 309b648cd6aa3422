//go:build unix

package live_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/live"
)

// processorTime returns the processor time of the process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A thousand clients of a channel share one stream, and all of them receive every packet in
// order.
func TestThousandClients(t *testing.T) {
	t.Parallel()
	const clients, packets = 1000, 100
	next := make(chan string)
	p := paced(next)
	f := newFixture(t, live.Options{}, p)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sockets := make([]*socket, clients)
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() { // Fatal in f.connect ends only this goroutine
			for n := i; n < clients; n += 10 {
				sockets[n] = f.connect(fmt.Sprint("u", n%20))
				sockets[n].subscribe("ds/a/x")
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	var received atomic.Int64
	for _, s := range sockets {
		group.Go(func() {
			for want := range packets {
				if r, ok := s.next(); !ok || string(r.Push.Pub.Data) != fmt.Sprintf(`{"n":%d}`, want) {
					t.Errorf("got %+v, %t, want %d", r, ok, want)
					return
				}
				received.Add(1)
			}
		})
	}
	start := processorTime(t)
	for n := range packets {
		next <- fmt.Sprintf(`{"n":%d}`, n)
	}
	group.Wait()
	if n := p.all.Load(); n != 1 {
		t.Errorf("the channel ran %d times", n)
	}
	t.Logf("%d clients of one channel, clients and server in one process: heap and stacks grew by %d KiB per client; %d packets received with %s of processor time",
		clients, (after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/clients>>10, received.Load(), processorTime(t)-start)
}

// A client that never reads is disconnected, and the others lose nothing.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	f := newFixture(t, live.Options{}, paced(next))
	deaf := f.connect("deaf")
	deaf.subscribe("ds/a/x")
	reads := []*socket{f.connect("a"), f.connect("b"), f.connect("c")}
	for _, s := range reads {
		s.subscribe("ds/a/x")
	}
	padding := strings.Repeat("x", 64<<10)
	n := 0
	for ; live.Clients(f.Hub) == 4; n++ {
		packet := fmt.Sprintf(`{"n":%d,"padding":%q}`, n, padding)
		next <- packet
		for _, s := range reads {
			if got := s.packet(); got != packet {
				t.Fatalf("packet %d is %.20s", n, got)
			}
		}
		time.Sleep(100 * time.Millisecond) // it is disconnected after host.StreamWriteTimeout
	}
	t.Logf("its connection was closed after %d packets of 64 KiB to the others", n)
	next <- "1"
	for _, s := range reads {
		if got := s.packet(); got != "1" {
			t.Errorf("afterward: %.20s", got)
		}
	}
}
