package proxy

import (
	"os/exec"
	"syscall"
	"unsafe"
)

var (
	kernel32      = syscall.NewLazyDLL("kernel32.dll")
	createJob     = kernel32.NewProc("CreateJobObjectW")
	setJob        = kernel32.NewProc("SetInformationJobObject")
	assignProcess = kernel32.NewProc("AssignProcessToJobObject")
)

const (
	extendedLimits            = 9 // JobObjectExtendedLimitInformation
	breakawayOK               = 0x0800
	silentBreakawayOK         = 0x1000
	killOnClose               = 0x2000
	processAssign             = 0x0100 | 0x0001 // PROCESS_SET_QUOTA | PROCESS_TERMINATE
	invalidHandle     uintptr = 0
)

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type jobLimits struct {
	perProcessTime, perJobTime int64
	flags                      uint32
	minWorkingSet              uintptr
	maxWorkingSet              uintptr
	activeProcesses            uint32
	affinity                   uintptr
	priority, scheduling       uint32
	io                         [6]uint64
	processMemory, jobMemory   uintptr
	peakProcess, peakJob       uintptr
}

// startBound starts cmd in a job that ends with this process: the last handle is
// closed by the system then. What the server itself starts is not in the job. A
// job that cannot be made is no reason not to start.
func startBound(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	job, _, _ := createJob.Call(0, 0)
	if job == invalidHandle {
		return nil
	}
	limits := jobLimits{flags: killOnClose | silentBreakawayOK | breakawayOK}
	_, _, _ = setJob.Call(job, extendedLimits, uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
	process, err := syscall.OpenProcess(processAssign, false, uint32(cmd.Process.Pid))
	if err != nil {
		return nil
	}
	_, _, _ = assignProcess.Call(job, uintptr(process))
	_ = syscall.CloseHandle(process)
	return nil
}
