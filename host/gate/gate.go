// Package gate bounds what one request, or one caller, can make the host hold, store or wait
// for. Its constants are all limits of the host, and Limits describes them; a test tries to
// exceed each. It does not referee between callers who are signed in: a host serves an author,
// or a team on a network that it trusts.
package gate

import (
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"sync"

	"golang.org/x/net/netutil"
)

// Gate counts the requests of each caller that are in progress. The zero value is ready to use.
type Gate struct {
	mu      sync.Mutex
	running map[string]int
}

// Enter counts a request of a caller, until Leave. It reports false, and counts nothing, if
// MaxCallerRequests are in progress.
func (g *Gate) Enter(caller string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running == nil {
		g.running = map[string]int{}
	}
	if g.running[caller] >= MaxCallerRequests {
		return false
	}
	g.running[caller]++
	return true
}

// Leave ends a request that Enter has counted.
func (g *Gate) Leave(caller string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[caller]--; g.running[caller] == 0 {
		delete(g.running, caller)
	}
}

// Listen bounds the connections of a listener. Others wait.
func Listen(l net.Listener) net.Listener { return netutil.LimitListener(l, MaxConnections) }

// Bound sets the limits of a server. Clients of HTTP/1 have one request at a time on a
// connection, so that the limit of connections applies to requests, too.
func Bound(s *http.Server) {
	s.Protocols = &http.Protocols{}
	s.Protocols.SetHTTP1(true)
	s.ReadHeaderTimeout, s.IdleTimeout, s.MaxHeaderBytes = HeaderTimeout, KeepAlive, MaxHeaderBytes
}

// LimitMemory lets the heap grow to several times what is in use, which is little, and makes the
// garbage collector run more often when the process approaches MemoryTarget. The environment
// variables GOGC and GOMEMLIMIT take precedence.
func LimitMemory() {
	const standard, percent = 100, 300
	if before := debug.SetGCPercent(percent); before != standard {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(MemoryTarget)
	}
}
