package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Executable returns the path of a plugin's executable for this platform. The error is a
// *bundle.Fault; if there is no executable, it lists those for other platforms.
func Executable(p bundle.Plugin) (string, error) {
	if p.Metadata.Executable == "" {
		return "", newFault(bundle.FaultNoExecutable, `plugin.json sets "backend" but not "executable"`)
	}
	host := bundle.Host()
	path, err := p.ExecutablePath()
	if err != nil {
		return "", newFault(bundle.FaultExecutableOutside, "%v", err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", missingExecutable(p, path)
	case err != nil:
		return "", newFault(bundle.FaultExecutableUnread, "open executable: %v", err)
	case !info.Mode().IsRegular():
		return "", newFault(bundle.FaultExecutableIrregular, "%s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode()&0o100 == 0:
		return "", newFault(bundle.FaultNotExecutable, "%s is not executable", path)
	case info.Size() == 0: // a build that writes to it in place has just begun
		return "", newFault(bundle.FaultExecutableUnread, "%s is incomplete: it is empty; copy it again if no copy is in progress", path)
	}
	f, err := limit.OpenRegular(os.OpenFile, path)
	if err != nil {
		return "", newFault(bundle.FaultExecutableUnread, "open executable: %v", err)
	}
	defer func() { _ = f.Close() }()
	if err := bundle.CheckComplete(f, info.Size()); err != nil {
		return "", newFault(bundle.FaultExecutableUnread, "%s %v: copy it again if no copy is in progress", path, err)
	}
	platform, err := bundle.ExecutablePlatform(f)
	if errors.Is(err, bundle.ErrNotExecutable) {
		return path, nil // perhaps a script: let the system decide
	}
	if err != nil {
		return "", newFault(bundle.FaultExecutableUnread, "%s: %v", path, err)
	}
	if platform != host {
		return "", newFault(bundle.FaultWrongPlatform, "%s is built for %s, but this host is %s", path, platform, host)
	}
	return path, nil
}

// missingExecutable returns the fault of a plugin without an executable at a path: with the executables
// for other platforms or with another name, or else why there may be none.
func missingExecutable(p bundle.Plugin, path string) *bundle.Fault {
	executable := filepath.FromSlash(p.Metadata.Executable)
	why, advice := "; this host is "+bundle.Host().String(), ""
	if names := namesOf(filepath.Join(p.Dir, executable) + "_*_*"); names != "" {
		why = " (found " + names + ")" + why
	} else if names := namesOf(filepath.Join(p.Dir, filepath.Dir(executable), bundle.Host().Executable("*"))); names != "" {
		why, advice = ", but "+names+" is there", `correct "executable" in plugin.json, or build the plugin again`
	} else if filepath.Base(p.Dir) == "src" {
		why, advice = ", because this repository has not been built", "build it with slipway build"
	}
	f := newFault(bundle.FaultExecutableMissing, "%s not found%s", path, why)
	f.Advice = advice
	return f
}

func namesOf(pattern string) string {
	matches, _ := filepath.Glob(pattern) // an invalid pattern has none
	for i, m := range matches {
		matches[i] = filepath.Base(m)
	}
	return strings.Join(matches, ", ")
}

// sumOf returns the SHA-256 of a regular file in hexadecimal.
func sumOf(file string) (string, error) {
	f, err := limit.OpenRegular(os.OpenFile, file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// isEqual reports whether two regular files are the same. A second file that cannot be read is not.
func isEqual(file, other string) (bool, error) {
	sum, err := sumOf(file)
	if err != nil {
		return false, err
	}
	otherSum, err := sumOf(other)
	return err == nil && sum == otherSum, nil
}

// copyExecutable copies an executable that nobody writes to in the meantime, as a build may. The system
// copies it, which takes half of the time of a copy that is read.
func copyExecutable(source, target string) error {
	in, err := limit.OpenRegular(os.OpenFile, source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	before, err := in.Stat()
	if err != nil {
		return err
	}
	if err := copyUninherited(target, in); err != nil {
		return err
	}
	after, err := in.Stat()
	if err == nil && stateOf(before) != stateOf(after) {
		err = fmt.Errorf("%s changed during the copy", source)
	}
	return err
}

// copyUninherited copies to a new file. No process is forked while the copy is open for writing, so
// none inherits the descriptor: as long as any process has it, the copy cannot be executed ("text file
// busy"). It would not be enough to wait for the forks in progress afterward, since a child closes its
// descriptors shortly after vfork has let its parent continue.
func copyUninherited(target string, in io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
