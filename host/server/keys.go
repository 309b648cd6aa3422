package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"

	"github.com/slipway-dev/slipway/bundle/gitignore"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// InUseError reports a file that another host holds.
type InUseError struct {
	File string
}

// Error names the file.
func (e *InUseError) Error() string { return "another host is using " + e.File }

// lockData locks the data directory and the SQLite file until Close: a second host
// would replace the tokens of the plugins that the first one runs.
func (s *Server) lockData() error {
	names := []string{filepath.Join(s.options.DataDir, "instance")}
	// One may be in a plugin repository, perhaps that of an older version.
	err := gitignore.MakeFor(s.options.DataDir, 0o700, "instance*", "secret.key", "provisioned.json", "sign-in.html", "slipway.db*")
	if !store.IsShared(s.options.Database) {
		names = append(names, s.options.Database)
		if dir := filepath.Dir(s.options.Database); err == nil && dir != filepath.Clean(s.options.DataDir) {
			err = gitignore.MakeFor(dir, 0o700, filepath.Base(s.options.Database)+"*")
		}
	}
	if err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	for _, name := range names {
		lock := flock.New(name+".lock", flock.SetPermissions(0o600))
		isFree, err := lock.TryLock()
		if err != nil {
			return err
		}
		if !isFree {
			return &InUseError{name}
		}
		s.onClose(lock.Close)
	}
	return nil
}

// instanceName returns the name of this host's tokens, which no other host on the
// same database has. By that name a host finds the tokens of its previous start.
func instanceName(dataDir string) (string, error) {
	return kept(filepath.Join(dataDir, "instance"), host.NewUID())
}

// secretKey returns the key in the data directory that encrypts secrets.
func secretKey(dataDir string) ([]byte, error) {
	file := filepath.Join(dataDir, "secret.key")
	if err := checkMode(file); err != nil {
		return nil, err
	}
	random := make([]byte, host.KeyLength)
	_, _ = rand.Read(random) // never fails
	text, err := kept(file, hex.EncodeToString(random))
	if err != nil {
		return nil, err
	}
	key, err := host.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: restore it to keep the stored secrets, or delete it and enter them again", file)
	}
	return key, nil
}

// checkMode returns an error if another user could have written the file that holds the
// key for secrets, or could replace it. The file and its directory need not exist.
func checkMode(file string) error {
	for _, c := range []struct {
		name      string
		forbidden fs.FileMode
		command   string
	}{{filepath.Dir(file), 0o002, "chmod o-w"}, {file, 0o022, "chmod 600"}} {
		info, err := os.Stat(c.name)
		if err == nil && runtime.GOOS != "windows" && info.Mode()&c.forbidden != 0 {
			return fmt.Errorf("other users can write to %s, and so choose the key for secrets: if you trust its content, protect it with: %s %s; "+
				"if not, use another data directory", c.name, c.command, c.name)
		}
	}
	return nil
}

// kept returns the text of a file, which it creates, readable only by its owner, if there is none.
func kept(file, text string) (string, error) {
	known, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(known)), err
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = atomicfile.Write(file, 0o600, atomicfile.Bytes([]byte(text+"\n")))
	}
	if err != nil {
		return "", err
	}
	return text, nil
}
