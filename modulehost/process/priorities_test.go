package process_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// TestBusyIsWhatWantsTheCPUAllTheTime checks how one second of a process's CPU use is judged.
func TestBusyIsWhatWantsTheCPUAllTheTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	const ms = time.Millisecond
	type threads = map[string]time.Duration
	fresh := threads{"1": 0}
	for name, c := range map[string]struct {
		ran             time.Duration
		earlier, wanted threads
		sleeps          int64 // of each thread
		first           bool  // there is no earlier sample
		want            bool
	}{
		"used a core":               {ran: 950 * ms, earlier: fresh, wanted: fresh, sleeps: 5000, want: true},
		"used a core, not expected": {ran: 950 * ms, wanted: fresh, want: true},
		"used little":               {ran: 100 * ms, earlier: fresh, wanted: threads{"1": 100 * ms}},
		"waited and did not sleep":  {ran: 200 * ms, earlier: fresh, wanted: threads{"1": 1000 * ms}, want: true},
		"two threads wanted half a core each": {ran: 300 * ms, earlier: fresh,
			wanted: threads{"1": 500 * ms, "2": 500 * ms}, want: true},
		"waited and slept after each call": {ran: 300 * ms, earlier: fresh,
			wanted: threads{"1": 1000 * ms, "2": 1000 * ms}, sleeps: 400},
		"waited long ago": {ran: 200 * ms, earlier: threads{"1": time.Hour},
			wanted: threads{"1": time.Hour + 200*ms}},
		"threads unknown before": {ran: 200 * ms, wanted: threads{"1": time.Hour}},
		"unknown before":         {ran: time.Hour, wanted: threads{"1": time.Hour}, first: true},
	} {
		t.Run(name, func(t *testing.T) {
			sleeps := map[string]int64{"1": c.sleeps, "2": c.sleeps}
			before := process.Sample(time.Time{}, 0, nil, nil)
			if !c.first {
				before = process.Sample(began, time.Minute, c.earlier, nil)
			}
			now := process.Sample(began.Add(time.Second), time.Minute+c.ran, c.wanted, sleeps)
			if got := process.BusySince(now, before); got != c.want {
				t.Errorf("busy: %v, want %v", got, c.want)
			}
		})
	}
}

// TestOnlyTheBusyProcessIsLowered runs with one user for each module, and with the platform's user for all
// modules. The platform's user either has the right to raise a priority, or its limit allows that, or it may
// not raise one.
func TestOnlyTheBusyProcessIsLowered(t *testing.T) {
	if os.Geteuid() == 0 {
		if !holds(t, unix.CAP_SYS_NICE) { // as in a container
			t.Run("user of its own, without the right", neverLowered)
			t.Run("neither", func(t *testing.T) { asNobodyWith(t, "", 0) })
			return
		}
		t.Run("user of its own", func(t *testing.T) { lowered(t, true) })
		if testing.Short() {
			return // each of the others runs the test again in another host
		}
		t.Run("right", func(t *testing.T) { asNobodyWith(t, "restore", 0, unix.CAP_SYS_NICE) })
		t.Run("limit", func(t *testing.T) { asNobodyWith(t, "restore", 10) })
		t.Run("neither", func(t *testing.T) { asNobodyWith(t, "", 0) })
		return
	}
	lowered(t, os.Getenv("NARTHEX_TEST_NICE") == "restore")
}

// asNobodyWith runs the test again in a host with this limit and these capabilities. The test is not
// parallel, because it must end before parallel tests begin.
func asNobodyWith(t *testing.T, expect string, limit uint64, capabilities ...uintptr) {
	executable(t, "good")
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NICE, &was); err != nil {
		t.Fatal(err)
	}
	if was.Max > limit {
		t.Skip("this machine lets everybody raise a priority")
	}
	raised := unix.Rlimit{Cur: limit, Max: max(limit, was.Max)}
	if err := unix.Setrlimit(unix.RLIMIT_NICE, &raised); err != nil {
		t.Skip("this machine lets nobody raise the limit:", err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NICE, &was) }()
	command := exec.Command("/proc/self/exe", "-test.run=^TestOnlyTheBusyProcessIsLowered$",
		"-test.timeout=5m")
	command.Env = []string{"NARTHEX_TEST_MODULES=" + modules, "NARTHEX_TEST_NICE=" + expect}
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534,
		Groups: []uint32{}}, AmbientCaps: capabilities}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("the test as another user: %v, want success; output %s", err, out)
	}
}

// holds reports whether this process has the capability.
func holds(t *testing.T, capability int) bool {
	t.Helper()
	effective, err := strconv.ParseUint(fields(t, os.Getpid(), "status")["CapEff"], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return effective&(1<<capability) != 0
}

// startJudged starts two modules whose priorities are judged.
func startJudged(t *testing.T) (busy, quiet *runningProcess, logs *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.WarnLevel)
	priorities := process.NewPriorities(zap.New(core))
	priorities.WithPatience(2)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- priorities.Serve(ctx) }()
	t.Cleanup(func() { stop(); <-served })
	uid := uint32(70030)
	judged := func(c *process.Config) {
		c.Priorities = priorities
		if os.Geteuid() == 0 {
			uid++
			c.Credential = &process.Credential{UID: uid, GID: uid}
		}
	}
	return start(t, "good", judged), start(t, "good", judged), logs
}

// neverLowered checks that root without the right to change another user's priority says so once, and that
// the module keeps its priority.
func neverLowered(t *testing.T) {
	busy, _, logs := startJudged(t)
	spinning := busy.observe(t).PID
	if _, err := busy.handle(testContext(t), "/spin", nil); err != nil {
		t.Fatal(err)
	}
	const warning = "the priority of a busy module cannot be lowered"
	eventually(t, "the warning", func() bool { return logs.FilterMessage(warning).Len() == 1 })
	if got := scheduling(t, spinning); got != "normal 10" {
		t.Errorf("the busy process runs as %s, want normal 10", got)
	}
	if n := logs.Len(); n != 1 {
		t.Errorf("%d warnings, want one: %v", n, logs.All())
	}
}

func lowered(t *testing.T, mayRestore bool) {
	busy, quiet, logs := startJudged(t)
	spinning, calling := busy.observe(t).PID, quiet.observe(t).PID
	if _, err := busy.handle(testContext(t), "/spin", nil); err != nil {
		t.Fatal(err)
	}
	want := "idle 10"
	if !mayRestore {
		want = "normal 19"
	}
	await := func(what, want string) {
		t.Helper()
		for ctx := testContext(t); ; {
			// The quiet process gets calls all the time, and its priority must never change.
			if _, err := quiet.handle(ctx, "/echo", nil); err != nil {
				t.Fatal(err)
			}
			if got := scheduling(t, calling); got != "normal 10" {
				t.Fatalf("the quiet process runs as %s, want normal 10", got)
			}
			if got := scheduling(t, spinning); got == want {
				return
			} else if ctx.Err() != nil {
				t.Fatalf("%s: it runs as %s, want %s", what, got, want)
			}
		}
	}
	await("the process that spins", want)
	if _, err := busy.handle(testContext(t), "/calm", nil); err != nil {
		t.Fatal("a lowered process does not answer:", err)
	}
	if mayRestore {
		await("the process that has stopped to spin", "normal 10")
	}
	if n := logs.Len(); n != 0 {
		t.Errorf("%d warnings, want none: %v", n, logs.All())
	}
}

// scheduling returns the policy and the niceness of all threads of a process, or "mixed" where they differ.
func scheduling(t *testing.T, pid int) (all string) {
	t.Helper()
	threads, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		t.Fatal(err)
	}
	policies := map[string]string{"0": "normal", "5": "idle"} // sched(7)
	for _, thread := range threads {
		file := stat(t, strconv.Itoa(pid)+"/task/"+thread.Name())
		switch one := policies[file[38]] + " " + file[16]; all {
		case "", one:
			all = one
		default:
			return "mixed"
		}
	}
	return all
}
