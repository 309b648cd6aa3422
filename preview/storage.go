package preview

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"
)

// storage is what plugins store with usePluginUserStorage, for as long as the preview lasts.
type storage struct {
	mu      sync.Mutex
	objects map[string]json.RawMessage // by name
}

const (
	maxObject  = 1 << 20 // bytes
	maxObjects = 100
	maxStored  = 8 << 20 // bytes of all
)

// object is the part of a stored object that the storage reads.
type object struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Data map[string]string `json:"data"`
	} `json:"spec"`
}

// ServeHTTP serves .../user-storage for POST, and .../user-storage/{name} else. A change adds to what is stored.
func (s *storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parent, name := path.Split(r.URL.Path)
	if path.Base(parent) != "user-storage" {
		name = ""
	}
	var changed object
	if r.Method != http.MethodGet {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxObject))
		if err != nil || json.Unmarshal(text, &changed) != nil {
			refuse(w, http.StatusBadRequest, "storage", "the body must be an object of at most 1 MiB")
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/user-storage") {
		name = changed.Metadata.Name
	}
	stored, ok := s.objects[name]
	switch {
	case name == "", r.Method == http.MethodGet && !ok:
		sendJSON(w, http.StatusNotFound, map[string]any{"kind": "Status", "status": "Failure", "reason": "NotFound",
			"code": http.StatusNotFound, "message": "nothing is stored"})
		return
	case r.Method == http.MethodGet:
		sendJSON(w, http.StatusOK, stored)
		return
	case !ok && len(s.objects) == maxObjects:
		refuse(w, http.StatusInsufficientStorage, "storage", "the storage of the preview is full")
		return
	}
	var now object
	if ok {
		_ = json.Unmarshal(stored, &now) // it was marshaled below
	}
	data := map[string]string{}
	maps.Copy(data, now.Spec.Data)
	maps.Copy(data, changed.Spec.Data)
	text, _ := json.Marshal(map[string]any{"metadata": map[string]string{"name": name}, "spec": map[string]any{"data": data}}) // of strings
	sum := len(text) - len(stored)
	for _, other := range s.objects {
		sum += len(other)
	}
	if sum > maxStored {
		refuse(w, http.StatusInsufficientStorage, "storage", "the storage of the preview is full")
		return
	}
	s.objects[name] = text
	sendJSON(w, http.StatusOK, s.objects[name])
}
