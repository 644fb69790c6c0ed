package platform

import "github.com/narthex-platform/narthex/services/enablement"

// Process tells the managers of modules how a module's process is doing. See enablement.Processes.
func (s *Server) Process(moduleID string) (enablement.Process, bool) {
	for _, module := range s.modules {
		if module.Manifest.ID != moduleID || module.process == nil {
			continue
		}
		status, load := module.process.Status(), module.load
		view := enablement.Process{
			State: string(status.State), Since: status.Since, Starts: status.Starts,
			Memory: status.Memory, MemoryLimit: status.MemoryLimit,
			CPU: status.CPU,
		}
		view.InFlight, view.Waiting = load.Now()
		view.Requests, view.Failures = load.Total()
		view.HostMemory, view.HostMemoryLimit = module.memory.Bytes()
		if end := status.LastEnd; end != nil {
			view.LastEnd = &enablement.ProcessEnd{At: end.At, Kind: string(end.Kind), Code: end.Code}
		}
		return view, true
	}
	return enablement.Process{}, false
}
