package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// machine is a network namespace with an address of its own: its processes can be killed and frozen together,
// and it can be cut off from other machines, but not from this one.
type machine struct {
	name    string // of the namespace
	address string
	others  []*machine
	running []*process
}

// network is a bridge that connects machines.
type network struct {
	bridge   string
	machines []*machine
}

// newNetwork makes machines. Their names and addresses contain a number of this process, so that several
// programs may do the same, and the given one, because the kernel removes an interface a moment later.
func newNetwork(ctx context.Context, number, networks int) (n *network, err error) {
	run := strconv.Itoa(os.Getpid()%10_000) + strconv.Itoa(networks)
	subnet := fmt.Sprintf("10.213.%d.", (os.Getpid()+networks)%250)
	n = &network{bridge: "nx" + run}
	begun := n
	defer func() {
		if err != nil {
			begun.close()
		}
	}()
	commands := []string{"link add " + n.bridge + " type bridge",
		"addr add " + subnet + "254/24 dev " + n.bridge, "link set " + n.bridge + " up"}
	for i := range number {
		m := &machine{name: fmt.Sprintf("nx%s-%d", run, i+1), address: subnet + strconv.Itoa(i+1)}
		link := fmt.Sprintf("nx%sv%d", run, i+1)
		n.machines = append(n.machines, m)
		commands = append(commands, "netns add "+m.name,
			"link add "+link+" type veth peer name eth0 netns "+m.name,
			"link set "+link+" master "+n.bridge+" up",
			"-n "+m.name+" addr add "+m.address+"/24 dev eth0",
			"-n "+m.name+" link set eth0 up", "-n "+m.name+" link set lo up")
	}
	for _, m := range n.machines {
		for _, other := range n.machines {
			if other != m {
				m.others = append(m.others, other)
			}
		}
	}
	for _, command := range commands {
		if err := ip(ctx, command); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func ip(ctx context.Context, arguments string) error {
	output, err := exec.CommandContext(ctx, "ip", strings.Fields(arguments)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", arguments, err, output)
	}
	return nil
}

// close kills everything on the machines and removes them.
func (n *network) close() {
	ctx := context.Background()
	for _, m := range n.machines {
		m.signal(syscall.SIGKILL)
		_ = ip(ctx, "netns del "+m.name)
	}
	_ = ip(ctx, "link del "+n.bridge)
}

// run starts a program on the machine as the user postgres.
func (m *machine) run(arguments ...string) (*process, error) {
	command := exec.Command("ip", append([]string{"netns", "exec", m.name, "setpriv", "--reuid=postgres",
		"--regid=postgres", "--init-groups", "--pdeathsig=KILL", "--"}, arguments...)...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started, err := startProcess(command)
	if err == nil {
		m.running = append(m.running, started)
	}
	return started, err
}

// pids returns the processes on the machine.
func (m *machine) pids() (all []int) {
	output, _ := exec.Command("ip", "netns", "pids", m.name).Output()
	for _, text := range strings.Fields(string(output)) {
		if pid, err := strconv.Atoi(text); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// signal sends a signal to all processes. After SIGKILL it waits until none is left.
func (m *machine) signal(s syscall.Signal) {
	for _, pid := range m.pids() {
		_ = syscall.Kill(pid, s)
	}
	if s == syscall.SIGKILL {
		for _, p := range m.running {
			<-p.ended
		}
		m.running = nil
	}
}

// cut takes the ways from the machine to all others away, or gives them back.
func (m *machine) cut(ctx context.Context, away bool) error {
	verb := "add"
	if !away {
		verb = "del"
	}
	for _, other := range m.others {
		if err := ip(ctx, "-n "+m.name+" route "+verb+" blackhole "+other.address+"/32"); err != nil {
			return err
		}
	}
	return nil
}
