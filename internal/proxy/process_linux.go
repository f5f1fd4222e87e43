package proxy

import (
	"os/exec"
	"syscall"
)

// startBound starts cmd, which is killed when the calling thread ends. A client
// that kills its server kills the proxy, and must not leave the server behind.
func startBound(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Start()
}
