package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// moduleFaults are faults of modules, by malice or mistake. They must not affect anything else.
func moduleFaults() []fault {
	wild := placeOptions{wild: []string{"wild"}}
	return []fault{
		{name: "modules/crash", place: wild, run: moduleCrash,
			done:     "a handler ends its process (exit 3)",
			expected: "its caller gets 500 MODULE_HANDLER_FAILED; another process serves; others notice nothing"},
		{name: "modules/killed-under-load", place: wild, run: moduleKilled,
			done: "its process is killed 4 times while 20 callers send to it",
			expected: "200, 500 MODULE_HANDLER_FAILED or 503 with Retry-After 1 to 30, always a response; the " +
				"module comes back"},
		{name: "modules/stopped", place: wild, run: moduleStopped,
			done:     "its process is frozen (SIGSTOP) with 20 calls under way",
			expected: "the ping finds it: reason \"ping unanswered\", 500 MODULE_HANDLER_FAILED, another process"},
		{name: "modules/stuck", place: wild, run: moduleStuck,
			done:     "300 calls whose handlers never return",
			expected: "500 MODULE_HANDLER_FAILED at 30 s or 503 MODULE_OVERLOADED; then \"calls stuck\", it is back"},
		{name: "modules/memory", place: wild, run: moduleMemory,
			done:     "a handler takes 2 GiB",
			expected: "its process ends and comes back; the platform's own memory stays"},
		{name: "modules/threads", place: wild, run: moduleThreads, absent: onlyRoot,
			done:     "a handler starts 300 threads",
			expected: "500 MODULE_HANDLER_FAILED and another process"},
		{name: "modules/spins", place: wild, run: moduleSpins,
			done: "a handler takes all of the CPU",
			expected: "its priority is lowered in four of five seconds (root); others are served, and its own " +
				"callers too"},
		{name: "modules/nonsense-frames", run: moduleNonsense,
			place: placeOptions{wild: []string{"wild-0", "wild-1", "wild-2", "wild-3"}},
			done:  "nonsense on both links and the body sockets: text, half a frame, too large, an unknown kind ...",
			expected: "500 MODULE_HANDLER_FAILED, the log names the rule where it is one of docs/link.md, " +
				"another process each time"},
		{name: "modules/exit-loop", place: placeOptions{wild: []string{"loop"}}, run: moduleLoop,
			done:     "a module ends as soon as it has started",
			expected: "pauses of 1, 2, 4, 8 s; callers get 503 MODULE_UNAVAILABLE and Retry-After with the pause"},
		{name: "modules/log-flood", place: wild, run: moduleFlood,
			done:     "a module writes megabytes to its output and thousands of lines to the log",
			expected: "at most 100 lines in 10 s are logged, its output is not; others notice nothing"},
		{name: "modules/changed-registration", place: placeOptions{wild: []string{"changeling"}},
			run:      moduleChangeling,
			done:     "a module's second process registers other routes than its first",
			expected: "it is refused with MODULE_REGISTER_FAILED, callers get 503 MODULE_UNAVAILABLE"},
		{name: "modules/fills-host", run: moduleGlutton,
			done:     "a row of 381 MiB, an exception of 191, notifications of 140, statements of 96 MiB",
			expected: "ROW_TOO_LARGE or no error (<nil>); the platform grows by less than 64 MiB"},
		{name: "modules/unread-channels", run: moduleUnreadChannels,
			done:     "a module publishes without end to 60 readers that read nothing",
			expected: "HOST_OVERLOADED within its 64 MiB; nothing is held once the readers have left"},
		{name: "modules/clings", place: placeOptions{wild: []string{"clinging"}}, run: moduleClings,
			done:     "a stop hook that never ends, at SIGTERM",
			expected: "the stop ends all the same, exit status 1 and {\"moduleStopFailed\":true}"},
	}
}

const wildRoot = "/api/v1/modules/wild"

// back waits until a module responds from a process other than was.
func (c *check) back(owner *person, id string, was int) {
	c.eventually(id+" is back", func() bool {
		got := owner.do("GET", "/api/v1/modules/"+id+"/plain", nil)
		if !isAllowedOfModule(got) {
			c.wrong("GET /plain of %s while it starts again: %v", id, got)
		}
		now := c.moduleProcess(id)
		return got.status == http.StatusOK && now != 0 && now != was
	})
}

// handlerLimit is less than the 30 s that a handler has: after that time a response is due to that deadline,
// and not because the process has ended.
const handlerLimit = 20 * time.Second

func moduleCrash(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	was := c.moduleProcess("wild")
	got := owner.do("GET", wildRoot+"/exit", nil)
	c.saw("the caller got %v", got)
	if !got.is(500, "MODULE_HANDLER_FAILED") || got.took > handlerLimit {
		c.wrong("the caller got %v after %.0f s, want 500 before the deadline of handlers", got, got.took.Seconds())
	}
	c.back(owner, "wild", was)
	lost := c.daemon.linesOf("wild", "module process lost")
	if len(lost) != 1 || !slices.Contains([]string{"exited", "link lost"}, lost[0].Reason) {
		c.wrong("lines of the log \"module process lost\": %+v, want one", lost)
	}
	c.saw("another process serves")
}

func moduleKilled(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	stop := make(chan struct{})
	var sending sync.WaitGroup
	var mu sync.Mutex
	counts := make(map[int]int)
	for n := range 20 {
		own, body := c.as(owner), strings.Repeat("x", []int{1, 3000, 30_000}[n%3])
		sending.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				// io.MultiReader, so that net/http cannot repeat the body
				got := own.do("POST", wildRoot+"/slow", io.MultiReader(strings.NewReader(body)))
				if !isAllowedOfModule(got) || got.took > handlerLimit {
					c.wrong("POST /slow: %v, Retry-After %q, after %.0f s", got, got.header.Get("Retry-After"),
						got.took.Seconds())
				}
				mu.Lock()
				counts[got.status]++
				mu.Unlock()
				if got.status != http.StatusOK {
					time.Sleep(50 * time.Millisecond) // the pause of a refused client
				}
			}
		})
	}
	for range 4 {
		was := c.moduleProcess("wild")
		if was == 0 || syscall.Kill(was, syscall.SIGKILL) != nil {
			c.wrong("there is no process to kill")
			break
		}
		c.within(patience, func() bool { now := c.moduleProcess("wild"); return now != 0 && now != was })
		c.within(patience, func() bool { return owner.do("GET", wildRoot+"/plain", nil).status == http.StatusOK })
	}
	close(stop)
	sending.Wait()
	if counts[http.StatusOK] == 0 {
		c.wrong("nobody was served")
	}
	c.saw("callers got %v", counts)
	if lost := c.daemon.linesOf("wild", "module process lost"); len(lost) != 4 {
		c.wrong("the log tells of %d lost processes, want 4", len(lost))
	}
}

func moduleStopped(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	was := c.moduleProcess("wild")
	results := make(chan response, 20)
	for range cap(results) {
		own := c.as(owner)
		go func() { results <- own.do("GET", wildRoot+"/hold", nil) }()
	}
	c.eventually("the calls are under way", func() bool {
		return strings.Count(c.daemon.log.String(), `"text":"holding"`) == cap(results)
	})
	c.ok(syscall.Kill(was, syscall.SIGSTOP), "SIGSTOP")
	var slowest time.Duration
	for range cap(results) {
		got := <-results
		slowest = max(slowest, got.took)
		if !got.is(500, "MODULE_HANDLER_FAILED") {
			c.wrong("a call under way: %v, want 500 MODULE_HANDLER_FAILED", got)
		}
	}
	c.back(owner, "wild", was)
	if lost := c.daemon.linesOf("wild", "module process lost"); len(lost) != 1 ||
		lost[0].Reason != "ping unanswered" {
		c.wrong("lines \"module process lost\": %+v, want one with \"ping unanswered\"", lost)
	}
	c.saw("%d callers got 500 MODULE_HANDLER_FAILED after at most %.0f s; another process serves", cap(results),
		slowest.Seconds())
}

func moduleStuck(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	was := c.moduleProcess("wild")
	results := make(chan response, 300)
	for range cap(results) {
		own := c.as(owner)
		go func() { results <- own.do("GET", wildRoot+"/stick", nil) }()
	}
	counts := make(map[int]int)
	for range cap(results) {
		got := <-results
		counts[got.status]++
		if !got.is(500, "MODULE_HANDLER_FAILED") && !got.is(503, "MODULE_OVERLOADED") {
			c.wrong("a call that hangs: %v", got)
		}
	}
	c.back(owner, "wild", was)
	if lost := c.daemon.linesOf("wild", "module process lost"); len(lost) != 1 ||
		lost[0].Reason != "calls stuck" {
		c.wrong("lines \"module process lost\": %+v, want one with \"calls stuck\"", lost)
	}
	if counts[500] != 256 {
		c.wrong("%d calls were in flight, want 256", counts[500])
	}
	c.saw("callers got %v; another process serves", counts)
}

func moduleNonsense(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	const each = 4              // crashes before the platform pauses
	rules := map[string]string{ // for which the log must name the rule of docs/link.md
		"/say/answers/half": "frame cut short", "/say/answers/oversize": "frame length outside the limits",
		"/say/answers/kind":   "frame kind not expected here",
		"/say/answers/answer": "answer to nothing that was asked",
		"/say/calls/huge":     "frame length outside the limits", "/say/calls/loaded": "payload where none belongs",
	}
	harms := []string{"/spoil", "/say/answers/text", "/say/answers/half", "/say/answers/oversize",
		"/say/answers/undersize", "/say/answers/kind", "/say/answers/answer", "/say/answers/pong",
		"/say/calls/text", "/say/calls/half", "/say/calls/oversize", "/say/calls/huge", "/say/calls/kind",
		"/say/calls/answer", "/say/calls/loaded"}
	for n, harm := range harms {
		id := fmt.Sprintf("wild-%d", n/each)
		was := c.moduleProcess(id)
		got := owner.do("GET", "/api/v1/modules/"+id+harm, nil)
		if harm == "/spoil" && got.status == http.StatusOK { // only the next body is affected
			got = owner.do("GET", "/api/v1/modules/"+id+"/long", nil)
		}
		if !got.is(500, "MODULE_HANDLER_FAILED") {
			c.wrong("%s: the caller got %v", harm, got)
		}
		c.back(owner, id, was)
		if rule := rules[harm]; rule != "" && !c.within(patience, func() bool {
			return strings.Contains(c.daemon.log.String(), `"link_rule":"`+rule+`"`)
		}) {
			c.wrong("%s: the log does not name the rule %q", harm, rule)
		}
	}
	c.saw("%d kinds: each caller got 500 MODULE_HANDLER_FAILED, each time another process served the next",
		len(harms))
}

func moduleLoop(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	var pauses []float64
	c.eventually("a pause of 8 s", func() bool {
		pauses = nil
		for _, line := range c.daemon.linesOf("loop", "service restarts paused") {
			pauses = append(pauses, line.Pause)
		}
		return len(pauses) > 3
	})
	if !slices.Equal(pauses[:4], []float64{1, 2, 4, 8}) {
		c.wrong("pauses of %v s, want 1, 2, 4, 8", pauses[:4])
	}
	var got response
	wait := 0
	c.eventually("a caller learns of a pause", func() bool {
		got = owner.do("GET", "/api/v1/modules/loop/plain", nil)
		wait, _ = strconv.Atoi(got.header.Get("Retry-After"))
		return wait > 1
	})
	if !got.is(503, "MODULE_UNAVAILABLE") || wait > 30 {
		c.wrong("a caller in the pause got %v, Retry-After %d", got, wait)
	}
	c.saw("pauses of %v s; a caller got %v with Retry-After %d", pauses, got, wait)
}

func moduleChangeling(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	const path = "/api/v1/modules/changeling/plain"
	if got := owner.do("GET", path, nil); got.status != 200 {
		c.fatal("before: %v", got)
	}
	c.ok(syscall.Kill(c.moduleProcess("changeling"), syscall.SIGKILL), "SIGKILL")
	c.eventually("further processes are refused", func() bool {
		return len(c.daemon.linesOf("changeling", "service restarts paused")) > 0
	})
	got := owner.do("GET", path, nil)
	if !got.is(503, "MODULE_UNAVAILABLE") {
		c.wrong("a caller got %v", got)
	}
	refused := c.daemon.linesOf("changeling", "service crashed")
	if !slices.ContainsFunc(refused, func(l logLine) bool { return l.Code == "MODULE_REGISTER_FAILED" }) {
		c.wrong("the log has %+v, want MODULE_REGISTER_FAILED", refused)
	}
	c.saw("the second process was refused with MODULE_REGISTER_FAILED; a caller got %v", got)
}

func moduleClings(c *check) {
	status, err := c.stop()
	c.ok(err, "the stop")
	log := c.daemon.log.String()
	const line = `"moduleStopFailed":true,"rollbackFailed":false}`
	if status != 1 || !strings.Contains(log, line) || !strings.Contains(log, "MODULE_STOP_TIMEOUT") {
		c.wrong("exit status %d, want 1, %s and MODULE_STOP_TIMEOUT", status, line)
	}
	c.saw("exit status %d, MODULE_STOP_TIMEOUT", status)
}
