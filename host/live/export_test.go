package live

// Streams returns how many streams exist.
func Streams(h *Hub) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}
