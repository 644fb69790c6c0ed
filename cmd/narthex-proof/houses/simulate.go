package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// figures are what one house needs, as docs/scaling.md has measured it.
type figures struct {
	start           float64 // seconds of a processor to start a process
	request, stored float64 // seconds of a processor for one request: the platform's, PostgreSQL's
	awake, asleep   float64 // MiB of a house's processes, and of its part of PostgreSQL
	transaction     float64 // seconds for which a request holds sessions of PostgreSQL through the pooler
}

func measured() figures {
	return figures{start: 0.8, request: 0.0021, stored: 0.0014, awake: 116 + 50, asleep: 1, transaction: 0.012}
}

const (
	firstMinute, minutes = 7 * 60, 6 * 60 // from 7:00 to 13:00
	idleMinutes          = 15             // SERVICE_IDLE_EXIT_MINUTES
	requestsOfPage       = 6
	screensOf            = 3 // from about an hour before a service to 90 minutes after its begin

	machineProcessors, machineMemory = 16, 32 * 1024
	reserve                          = 1.0 / 3
	lostAfter                        = 30.0 // seconds until a lost machine is noticed
)

// morning is what happens in each minute of a Sunday morning, in all houses.
type morning struct{ requests, starts, awake, streams [minutes]int }

// services are when services begin, in minutes of the day, with their parts of all houses.
func services() (begins []int, parts []float64) {
	return []int{9 * 60, 9*60 + 30, 10 * 60, 10*60 + 30, 11 * 60}, []float64{0.1, 0.25, 0.4, 0.15, 0.1}
}

// arrive draws a morning. Every house has a service; its people, of whom half have a phone in their hand,
// look once or twice around its begin, and a few volunteers look at any time.
func arrive(houses int, seed uint64) (m morning) {
	random := rand.New(rand.NewPCG(seed, uint64(houses)))
	for range houses {
		begins := serviceOf(random)
		var used [minutes]bool
		look := func(at float64) {
			minute := int(at) - firstMinute
			if minute < 0 || minute >= minutes {
				return
			}
			pages := 1 + int(random.ExpFloat64()*1.5)
			used[minute] = true
			m.requests[minute] += pages * requestsOfPage
		}
		// the median congregation has 70 people on a Sunday, one in forty has more than 350
		people := int(min(2000, 70*math.Exp(0.8*random.NormFloat64())))
		for range people / 2 {
			look(float64(begins) - 5 + 15*random.NormFloat64())
			if random.IntN(2) == 0 {
				look(float64(begins) + 60*random.Float64())
			}
		}
		for range 5 {
			look(firstMinute + minutes*random.Float64())
		}
		m.house(used, begins-firstMinute-60+random.IntN(60)-30, begins-firstMinute+90)
	}
	return m
}

// house adds when a house is awake: while a screen shows it, and until it was idle for long enough.
func (m *morning) house(used [minutes]bool, shows, ends int) {
	last, wasAwake := -minutes, false
	for minute := range minutes {
		shown := minute >= shows && minute < ends
		if shown {
			m.streams[minute] += screensOf
		}
		if used[minute] || shown {
			last = minute
		}
		awake := minute-last < idleMinutes
		if awake {
			m.awake[minute]++
		}
		if awake && !wasAwake {
			m.starts[minute]++
		}
		wasAwake = awake
	}
}

func serviceOf(random *rand.Rand) int {
	begins, parts := services()
	drawn := random.Float64()
	for i, part := range parts {
		if drawn -= part; drawn < 0 {
			return begins[i]
		}
	}
	return begins[len(begins)-1]
}

func peak(of [minutes]int) (minute int) {
	for i, n := range of {
		if n > of[minute] {
			minute = i
		}
	}
	return minute
}

func clock(minute int) string {
	return fmt.Sprintf("%d:%02d", (firstMinute+minute)/60, (firstMinute+minute)%60)
}

// simulate computes a Sunday morning of houses, how many machines it needs, and what happens when one of them
// is lost at the worst moment.
func simulate(houses int, seed uint64, f figures) string {
	m := arrive(houses, seed)
	var text strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&text, format+"\n", values...) }
	busiest, most, waking := peak(m.requests), peak(m.awake), peak(m.starts)
	each := float64(m.requests[busiest]) / 60
	line("%d houses, seed %d", houses, seed)
	line("requests, busiest minute     %s  %.0f a second", clock(busiest), each)
	line("processors then              platform %.1f, PostgreSQL %.1f", each*f.request, each*f.stored)
	line("sessions of PostgreSQL then  %.0f at work", math.Ceil(each*f.transaction))
	line("awake, most                  %s  %d houses, %.0f GiB", clock(most), m.awake[most],
		float64(m.awake[most])*f.awake/1024)
	line("asleep at 7:00               %d houses", houses-m.awake[0])
	line("starts, busiest minute       %s  %d, %.1f processors", clock(waking), m.starts[waking],
		float64(m.starts[waking])*f.start/60)
	line("streams, most                %d", m.streams[peak(m.streams)])
	processors, memory := f.most(m, houses)
	machines := int(max(1, math.Ceil(processors/(machineProcessors*(1-reserve))),
		math.Ceil(memory/(machineMemory*(1-reserve)))))
	line("machines                     %d of %d processors and %d GiB, a third in reserve (%.1f processors, "+
		"%.0f GiB)", machines, machineProcessors, machineMemory/1024, processors, memory/1024)
	if machines == 1 {
		line("a machine is lost            a second one is needed for that")
		machines = 2
	}
	f.lose(line, m, most, machines, processors, memory)
	return text.String()
}

// most returns the processors and the memory of the worst minute.
func (f figures) most(m morning, houses int) (processors, memory float64) {
	for minute := range minutes {
		requests, starts := float64(m.requests[minute])/60, float64(m.starts[minute])/60
		processors = max(processors, requests*(f.request+f.stored)+starts*f.start)
		memory = max(memory, float64(m.awake[minute])*f.awake+float64(houses)*f.asleep)
	}
	return processors, memory
}

// lose computes the loss of a machine in a minute: its houses start on the others, with the processors that
// are free there.
func (f figures) lose(
	line func(string, ...any), m morning, minute, machines int, processors, memory float64,
) {
	moved := math.Ceil(float64(m.awake[minute]) / float64(machines))
	free := float64(machines-1)*machineProcessors - processors
	left := float64(machines-1) * machineMemory
	line("one is lost at %-14s %.0f houses start elsewhere, the last %.0f s after the loss; %.0f of %.0f GiB "+
		"are used then", clock(minute), moved, math.Ceil(lostAfter+moved*f.start/free), memory/1024, left/1024)
}
