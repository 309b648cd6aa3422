//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// guardScript reads the lines "group PGID", "ended PGID", "dir PATH" and "gone PATH" until
// its input ends. Then it kills the groups and removes the directories. A process that is
// being killed may still write to a directory, on a busy machine for some seconds, so it tries
// again.
const guardScript = `trap '' HUP INT TERM
groups=' '
while IFS= read -r line; do
  what=${line#* }
  case $line in
  'group '*) groups="$groups$what " ;;
  'ended '*) case $groups in *" $what "*) groups="${groups%%" $what "*} ${groups#*" $what "}" ;; esac ;;
  'dir '*) set -- "$@" "$what" ;;
  'gone '*)
    n=$#
    for dir do [ "$dir" = "$what" ] || set -- "$@" "$dir"; done
    shift "$n" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ $# -gt 0 ] || exit 0
for try in 1 1 1 1 2 4 8 16; do rm -rf -- "$@" && exit; sleep "$try"; done
`

// startGuard returns nil if there is no shell.
func startGuard() *guard {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command("/bin/sh", "-c", guardScript, "slipway-guard")
	cmd.Stdin, cmd.Dir, cmd.Env = r, "/", []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in the terminal must not reach it
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	go func() { _ = cmd.Wait() }()
	return &guard{pipe: w}
}
