package store_test

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// processAttributes makes a process end with this one, even if this one is killed. The
// server does not run as root: if this process does, the server runs as the user
// postgres.
func processAttributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} // an immediate shutdown
	if uid, gid, ok := account(); ok {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return attr
}

// chown gives a directory to that user.
func chown(dir string) error {
	uid, gid, ok := account()
	if !ok {
		return nil
	}
	return os.Chown(dir, int(uid), int(gid))
}

func account() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, false
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return 0, 0, false
	}
	group, err := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err == nil
}
