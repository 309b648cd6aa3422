package watch

import (
	"maps"
	"os"
	"slices"
	"time"
)

// settling distinguishes complete changes from those in progress: a file is reported once it
// has not changed for some time.
type settling struct {
	reported map[string]os.FileInfo
	pending  map[string]pending
	after    time.Duration
}

type pending struct {
	info  os.FileInfo // nil if the file is gone
	since time.Time
}

// compare returns the files whose changes are complete and those that are still changing,
// both sorted.
func (s *settling) compare(files map[string]os.FileInfo, now time.Time) (changed, moving []string) {
	paths := maps.Clone(s.reported)
	maps.Copy(paths, files)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		info := files[path]
		if isSame(s.reported[path], info) {
			if _, ok := s.pending[path]; ok { // it changed back, but it was reported as moving
				changed = append(changed, path)
				delete(s.pending, path)
			}
			continue
		}
		p, ok := s.pending[path]
		if !ok || !isSame(p.info, info) {
			p = pending{info, now}
			s.pending[path] = p
		}
		if now.Sub(p.since) < s.after {
			moving = append(moving, path)
			continue
		}
		changed = append(changed, path)
		delete(s.pending, path)
		s.reported[path] = info
		if info == nil {
			delete(s.reported, path)
		}
	}
	return changed, moving
}
