package live

import "encoding/json"

// Clients returns how many clients are connected or connecting.
func Clients(h *Hub) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range h.entered {
		n += of
	}
	return n
}

// Streams returns how many streams exist.
func Streams(h *Hub) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

// Held returns how many bytes of the data of clients are held.
func Held(h *Hub) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range h.held {
		n += of
	}
	return n
}

// Keep keeps the data of a client that is connecting.
func Keep(h *Hub, caller Caller, data json.RawMessage) error {
	return h.keep(newClient(caller), address{}, data)
}

// Check checks all clients once.
func Check(h *Hub) { h.check() }
