package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lock waits until no other build of the repository runs. The operating system releases
// the lock of a build that is killed. Without a cache directory there is no lock.
func (p *Plan) lock(ctx context.Context) (unlock func(), err error) {
	if p.env(runningVariable) == p.Repo.Root {
		return nil, fmt.Errorf("a build of %s is running and started this one: remove it from the command of the frontend in slipway.yaml", p.Repo.Root)
	}
	record, err := p.recordFile()
	if err != nil || os.MkdirAll(filepath.Dir(record), 0o755) != nil {
		return func() {}, nil
	}
	locked := make(chan func(), 1)
	go func() {
		unlock, err := lockedfile.MutexAt(record + ".lock").Lock()
		if err != nil {
			unlock = func() {}
		}
		locked <- unlock
	}()
	for patience := time.After(time.Second); ; {
		select {
		case unlock := <-locked:
			return unlock, nil
		case <-patience:
			fmt.Fprintln(p.options.Progress, "waiting for another build of this repository")
		case <-ctx.Done():
			go func() { (<-locked)() }()
			return nil, ctx.Err()
		}
	}
}
