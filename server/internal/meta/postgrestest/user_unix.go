//go:build unix

package postgrestest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// other is who runs the server in place of root, as whom PostgreSQL refuses to.
func other() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		return uid, gid, errors.Join(err1, err2)
	}
	return 0, 0, errors.New("there is neither a user postgres nor a user nobody")
}

func giveAway(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := other()
	if err != nil {
		return err
	}
	return os.Chown(path, uid, gid)
}

func unprivileged(cmd *exec.Cmd) {
	if os.Geteuid() != 0 {
		return
	}
	if uid, gid, err := other(); err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
