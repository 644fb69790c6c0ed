package enablement

import (
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Processes returns the state of the modules' processes.
type Processes interface {
	// Process returns false when this API process runs no process of the module.
	Process(moduleID string) (Process, bool)
}

// Process is the state of a module's process: only figures and fixed words, no text from the module.
type Process struct {
	State                       string // "ready", "restarting" or "refused"
	Since                       time.Time
	Starts                      int64
	LastEnd                     *ProcessEnd // nil: none has ended
	Memory, MemoryLimit         int64       // of the process, in bytes
	HostMemory, HostMemoryLimit int64       // the platform's own memory for the module, in bytes
	CPU                         time.Duration
	InFlight, Waiting           int64 // requests
	Requests, Failures          int64 // since the platform started
}

// ProcessEnd is how a process ended.
type ProcessEnd struct {
	At   time.Time
	Kind string // "exit", "signal", "memory", "deadline", "link"
	Code *int
}

// processView is the response.
type processView struct {
	State                string   `json:"state"`
	Since                *string  `json:"since"` // null: absent
	Starts               int64    `json:"starts"`
	LastEnd              *endView `json:"lastEnd"`
	MemoryBytes          int64    `json:"memoryBytes"`
	MemoryLimitBytes     int64    `json:"memoryLimitBytes"`
	HostMemoryBytes      int64    `json:"hostMemoryBytes"`
	HostMemoryLimitBytes int64    `json:"hostMemoryLimitBytes"`
	CPUSeconds           float64  `json:"cpuSeconds"`
	InFlight             int64    `json:"inFlight"`
	Waiting              int64    `json:"waiting"`
	Requests             int64    `json:"requests"`
	Failures             int64    `json:"failures"`
}

type endView struct {
	At   string `json:"at"`
	Kind string `json:"kind"`
	Code *int   `json:"code"`
}

// process is GET /api/v1/module-lifecycle/{id}/process: the state of the module's process that this API
// process runs.
func (s *Service) process(c *httpapi.Call) error {
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return ErrNotInstalled
	}
	p, runs := s.processes.Process(m.Manifest.ID)
	if !runs {
		return c.JSON(http.StatusOK, processView{State: "absent"})
	}
	since := httpapi.Time(p.Since)
	view := processView{
		State: p.State, Since: &since, Starts: p.Starts,
		MemoryBytes: p.Memory, MemoryLimitBytes: p.MemoryLimit,
		HostMemoryBytes: p.HostMemory, HostMemoryLimitBytes: p.HostMemoryLimit,
		CPUSeconds: p.CPU.Seconds(),
		InFlight:   p.InFlight, Waiting: p.Waiting,
		Requests: p.Requests, Failures: p.Failures,
	}
	if end := p.LastEnd; end != nil {
		view.LastEnd = &endView{httpapi.Time(end.At), end.Kind, end.Code}
	}
	return c.JSON(http.StatusOK, view)
}
