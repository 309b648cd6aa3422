package live

// Clients returns how many clients are connected or connecting.
func Clients(h *Hub) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range h.open {
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

// Check checks all clients once.
func Check(h *Hub) { h.check() }
