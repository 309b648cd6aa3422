package testdb

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// process makes a program end with this one, even if this one is killed, and run as
// the user postgres if this process is root, as whom the server refuses to run.
func process() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} // an immediate shutdown
	if uid, gid, ok := account(); ok {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return attr
}

// owned gives a folder to that user.
func owned(dir string) error {
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
