package metrics

import "github.com/prometheus/client_golang/prometheus"

// collector turns a source's figures into metrics, at each scrape.
type collector struct{ source Source }

// Describe sends no descriptions, so the registry checks each metric that Collect sends.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect reads the source once and sends its figures.
func (c collector) Collect(out chan<- prometheus.Metric) {
	send := func(m metric, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
	}
	figures := c.source.Figures()
	collectCore(figures, send)
	for _, channel := range figures.Channels {
		send(channelReaders, float64(channel.Readers), channel.Module, channel.Name)
		send(channelUpdates, float64(channel.Updates), channel.Module, channel.Name)
		send(channelCut, float64(channel.Cut), channel.Module, channel.Name)
		send(channelOver, float64(channel.Overflows), channel.Module, channel.Name)
	}
	for _, module := range figures.Modules {
		collectModule(module, send)
	}
}

func collectCore(f Figures, send func(metric, float64, ...string)) {
	send(connections, float64(f.Connections.Open-f.Connections.Idle-f.Connections.Streams), "busy")
	send(connections, float64(f.Connections.Idle), "idle")
	send(connections, float64(f.Connections.Streams), "stream")
	for name, pool := range map[string]Pool{"core": f.CorePool, "modules": f.ModulePool} {
		send(poolMost, float64(pool.Most), name)
		send(poolOpen, float64(pool.Open-pool.Idle), name, "used")
		send(poolOpen, float64(pool.Idle), name, "idle")
	}
	send(poolWaiting, float64(f.ModulePool.Waiting))
	send(poolWaits, float64(f.CorePool.Waits))
	send(poolWaited, f.CorePool.Waited.Seconds())
	send(mailQueued, float64(f.Outbox.Queued))
	send(mailDropped, float64(f.Outbox.Dropped))
	for result, count := range f.Mails {
		send(mailTried, float64(count), result)
	}
	send(limiterKeys, float64(f.RateLimiter.Keys))
	send(limiterRefused, float64(f.RateLimiter.Refused))
	if f.Storage != nil {
		send(storageRequests, float64(f.Storage.Requests))
		send(storageFailures, float64(f.Storage.Failures))
	}
	if f.Backup != nil {
		send(backupVerified, float64(f.Backup.VerifiedAt.UnixMilli())/1000)
		send(backupGood, oneIf(f.Backup.Good))
	}
	if f.Backplane != nil {
		send(backplaneUp, oneIf(f.Backplane.Connected))
	}
}

func collectModule(m Module, send func(metric, float64, ...string)) {
	for _, state := range States {
		send(moduleState, oneIf(m.State == state), m.ID, state)
	}
	send(moduleStarts, float64(m.Starts), m.ID)
	send(moduleMemory, float64(m.Memory), m.ID)
	send(moduleMost, float64(m.MostOwn), m.ID)
	send(moduleHost, float64(m.HostMemory), m.ID)
	send(moduleHostMost, float64(m.MostHost), m.ID)
	send(moduleCPU, m.CPU.Seconds(), m.ID)
	send(moduleInFlight, float64(m.InFlight), m.ID)
	send(moduleWaiting, float64(m.Waiting), m.ID)
	send(moduleRequests, float64(m.Requests), m.ID)
	send(moduleFailures, float64(m.Failures), m.ID)
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
