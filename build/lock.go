package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lock waits until no other build of the repository runs. The system unlocks it for a build that is killed.
func (p *Plan) lock(ctx context.Context) (unlock func(), err error) {
	if p.env(runningVariable) == p.Repo.Root {
		return nil, fmt.Errorf("a build of %s is running and started this one: remove the build from the command in slipway.yaml", p.Repo.Root)
	}
	record, err := p.recordFile()
	if err != nil || os.MkdirAll(filepath.Dir(record), 0o755) != nil {
		return func() {}, nil
	}
	lock := flock.New(record + ".lock")
	patience, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	isLocked, err := lock.TryLockContext(patience, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		fmt.Fprintln(p.options.Progress, "waiting for another build of this repository")
		isLocked, err = lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if ctx.Err() != nil {
		_ = lock.Close()
		return nil, ctx.Err()
	}
	if err != nil || !isLocked {
		return func() {}, nil // the file system has no locks
	}
	return func() { _ = lock.Close() }, nil
}
