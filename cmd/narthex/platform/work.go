package platform

import "time"

// Work is what one module of the running platform has registered, for its author.
type Work struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Version   string         `json:"version"`
	Blocked   string         `json:"blocked"` // why it does not run; "": it runs
	Routes    []WorkRoute    `json:"routes"`
	Channels  []WorkChannel  `json:"channels"`
	Schedules []WorkSchedule `json:"schedules"`
	Erases    bool           `json:"erases"` // it takes part when a person is erased
}

// WorkRoute is a route below the module's own root.
type WorkRoute struct {
	Method       string `json:"method"`
	Path         string `json:"path"`
	Permission   string `json:"permission"`
	MaxBodyBytes int64  `json:"maxBodyBytes"` // 0: no body
}

// WorkChannel is a realtime channel.
type WorkChannel struct {
	Name       string `json:"name"`
	Permission string `json:"permission"`
}

// WorkSchedule is a schedule.
type WorkSchedule struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // between two runs
}

// Work returns every installed module, in the order of the catalog.
func (s *Server) Work() []Work {
	all := make([]Work, 0, len(s.catalog.Modules))
	for _, m := range s.catalog.Modules {
		w := Work{ID: m.Manifest.ID, Name: m.Manifest.Name, Version: m.Manifest.Version.String(),
			Blocked: s.Blocked(m.Manifest.ID), Routes: []WorkRoute{}, Channels: []WorkChannel{},
			Schedules: []WorkSchedule{}}
		for _, running := range s.modules {
			if running.Manifest.ID != w.ID || running.process == nil {
				continue
			}
			p := running.process
			for _, r := range p.Routes() {
				w.Routes = append(w.Routes, WorkRoute{r.GetMethod(), r.GetPath(), r.GetPermission(), r.GetMaxBodyBytes()})
			}
			for _, c := range p.Channels() {
				w.Channels = append(w.Channels, WorkChannel{c.GetName(), c.GetPermission()})
			}
			for _, one := range p.Schedules() {
				interval := time.Duration(one.GetIntervalSeconds()) * time.Second
				w.Schedules = append(w.Schedules, WorkSchedule{one.GetName(), interval.Seconds()})
			}
			w.Erases = p.PersonErased()
		}
		all = append(all, w)
	}
	return all
}
