package process

import (
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process/launcher"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// child is the operating system's side of one run: a process group, two links, the body sockets and the
// output.
type child struct {
	hostCalls, moduleCalls net.Conn // the host's ends
	bodies                 *link.Bodies
	lanes                  *lanes // nil: none
	output                 *output
	cgroup                 *cgroup          // nil: it is in the host's group
	exited                 chan struct{}    // closed when the process has died and was reaped
	state                  *os.ProcessState // after end: how it has ended
	overMemory             bool             // after end: killed because of its group's memory limit
	pid                    int
	group                  sync.Mutex // held while the group is signalled or its leader reaped
	reaped                 bool
}

// startChild starts the module's program with every part of the sandbox that the kernel has.
func startChild(config *Config, sandbox SandboxReport, author *author) (*child, error) {
	var inherited descriptors
	defer inherited.close()
	program, err := inherited.program(config)
	if err != nil {
		return nil, err
	}
	folder, err := inherited.open(config.Folder, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	group, err := config.Cgroups.open(config.ModuleID, config.Limits)
	if err != nil {
		return nil, err
	}
	entrance, err := group.entrance(&inherited)
	if err != nil {
		return nil, err
	}
	c := &child{exited: make(chan struct{}), cgroup: group}
	files := make([]*os.File, cgroupDescriptor+1) // a nil file stays closed in the child
	files[cgroupDescriptor] = entrance
	files[0], files[executableDescriptor], files[folderDescriptor] = program.input, program.executable, folder
	if c.hostCalls, files[hostCallsDescriptor], err = inherited.socketpair(); err != nil {
		return nil, err
	}
	if c.moduleCalls, files[moduleCallsDescriptor], err = inherited.socketpair(); err != nil {
		_ = c.hostCalls.Close()
		return nil, err
	}
	if c.bodies, err = inherited.bodies(files[firstBodyDescriptor:lanesDescriptor]); err != nil {
		_, _ = c.hostCalls.Close(), c.moduleCalls.Close()
		return nil, err
	}
	c.lanes, files[lanesDescriptor] = inherited.lanes()
	read, write, err := inherited.pipe()
	if err == nil {
		files[1], files[2] = write, write
		err = c.start(config, sandbox, files)
	}
	if err != nil {
		_, _ = c.hostCalls.Close(), c.moduleCalls.Close()
		c.bodies.Close()
		c.lanes.close()
		if read != nil {
			_ = read.Close()
		}
		return nil, err
	}
	c.output = readOutput(read, author)
	return c, nil
}

// start returns when the launcher runs or its start has failed. Its goroutine is locked to its thread until
// the child is reaped, because the kernel sends the parent-death signal when the starting *thread* ends, not
// the host. That costs no extra thread, because the goroutine blocks in wait anyway.
func (c *child) start(config *Config, sandbox SandboxReport, files []*os.File) error {
	plan := c.plan(config, sandbox, files)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		c.pid, err = plan.Start()
		if started <- err; err == nil {
			c.wait()
		}
	}()
	return <-started
}

// plan describes the process for the launcher.
func (c *child) plan(config *Config, sandbox SandboxReport, files []*os.File) launcher.Plan {
	plan := launcher.Plan{
		Files:       files,
		Nice:        niceness,
		Arguments:   config.arguments(),
		Environment: config.Limits.environment(),
		Limits:      config.Limits.rlimits(),
		Executable:  executableDescriptor,
		Folder:      folderDescriptor,
		CloseFrom:   firstBodyDescriptor + inheritedBodies,
	}
	if own := config.Credential; own != nil {
		plan.Credential = &syscall.Credential{Uid: own.UID, Gid: own.GID}
	}
	if c.cgroup != nil {
		plan.Cgroup = cgroupDescriptor
	}
	if sandbox.Landlock > 0 {
		plan.Landlock = landlockRulesFor(sandbox.Landlock)
	}
	if sandbox.Seccomp {
		plan.Filter = filter(runtime.GOARCH, launcher.PID)
	}
	return plan
}

// wait kills the rest of the process group as soon as its leader has died. The leader is not reaped yet, so
// the kernel cannot give its number to another process.
func (c *child) wait() {
	for {
		err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	c.group.Lock()
	_ = unix.Kill(-c.pid, unix.SIGKILL)
	c.reaped = true
	if process, err := os.FindProcess(c.pid); err == nil {
		c.state, _ = process.Wait()
	}
	c.group.Unlock()
	close(c.exited)
}

// raiseOOMScore makes the kernel kill the module before the host when memory runs out. It works once the
// module runs. It is not a part of the sandbox.
func (c *child) raiseOOMScore() {
	_ = os.WriteFile("/proc/"+strconv.Itoa(c.pid)+"/oom_score_adj", []byte("900"), 0)
}

// signal sends a signal to the whole process group, unless the group's leader is reaped.
func (c *child) signal(s syscall.Signal) {
	c.group.Lock()
	defer c.group.Unlock()
	if !c.reaped {
		_ = unix.Kill(-c.pid, s)
	}
}

// exitedWithin waits for the process to exit, and reports whether it did.
func (c *child) exitedWithin(grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}

// end kills the child and waits until it is reaped and its resources are released. The wait has no deadline,
// because a process cannot ignore SIGKILL.
func (c *child) end() {
	c.signal(unix.SIGKILL)
	<-c.exited
	c.overMemory = c.cgroup.overMemory()
	c.cgroup.close()
	c.bodies.Close()
	c.lanes.close()
	c.output.end()
}
