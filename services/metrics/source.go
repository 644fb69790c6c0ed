package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Source returns the current figures of the platform. It must not wait for database or network.
type Source interface {
	Figures() Figures
}

// Figures are all figures of a scrape. Totals count since the start of the process.
type Figures struct {
	Connections Connections
	CorePool    Pool
	ModulePool  Pool
	Outbox      Outbox
	Mails       map[string]int64 // attempts by their result
	RateLimiter RateLimiter
	Storage     *Storage   // nil: none is configured
	Backplane   *Backplane // nil: none is configured
	Backup      *Backup    // nil: none was verified yet, or unknown
	Channels    []Channel
	Modules     []Module
}

// Connections are the HTTP listener's connections.
type Connections struct{ Open, Idle, Streams int }

// Pool is a pool of connections to PostgreSQL.
type Pool struct {
	Most, Open, Idle, Waiting int
	Waits                     int64
	Waited                    time.Duration
}

// Outbox is the queue of emails.
type Outbox struct {
	Queued  int
	Dropped int64
}

// RateLimiter has the figures of the rate limiter.
type RateLimiter struct {
	Keys    int
	Refused int64
}

// Storage has the figures of the object storage's client.
type Storage struct{ Requests, Failures int64 }

// Backplane is the state of the connection to the installation's other processes.
type Backplane struct{ Connected bool }

// Channel is one realtime channel.
type Channel struct {
	Module, Name                     string
	Readers, Updates, Cut, Overflows int64
}

// Backup is the latest verification of a backup.
type Backup struct {
	VerifiedAt time.Time
	Good       bool
}

// Module is the process of one module.
type Module struct {
	ID                string
	State             string // one of States
	Starts            int64
	Memory, MostOwn   int64 // bytes
	HostMemory        int64 // bytes that the platform itself uses for it
	MostHost          int64
	CPU               time.Duration
	InFlight, Waiting int64
	Requests          int64
	Failures          int64
}

// States are the states of a module's process.
var States = []string{"ready", "restarting", "refused"}

// metric is a row of the table of a source's metrics.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func total(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("narthex_"+name, help, labels, nil), prometheus.CounterValue}
}

func gauge(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("narthex_"+name, help, labels, nil), prometheus.GaugeValue}
}

// The table of a source's metrics.
var (
	connections = gauge("http_connections", "Connections, by what they do.", "state")

	poolMost    = gauge("database_connections_limit", "Connections that a pool may have.", "pool")
	poolOpen    = gauge("database_connections", "Connections to PostgreSQL, by pool and use.", "pool", "state")
	poolWaiting = gauge("database_waiting", "Callers that wait for a connection of the modules' pool.")
	poolWaits   = total("database_waits_total", "Callers that had to wait for a connection of Core's pool.")
	poolWaited  = total("database_waited_seconds_total", "Time that they waited together.")

	mailQueued  = gauge("mail_queued", "Emails that wait to be sent.")
	mailDropped = total("mail_dropped_total", "Emails that were not tried: full queue, or end of the process.")
	mailTried   = total("mail_attempts_total", "Attempts to send an email, by result.", "result")

	limiterKeys    = gauge("ratelimit_keys", "Clients and routes that the rate limiter remembers.")
	limiterRefused = total("ratelimit_refused_total", "Requests that the rate limiter refused.")

	storageRequests = total("storage_requests_total", "Requests to the object storage, each attempt for itself.")
	storageFailures = total("storage_failures_total", "Of these, those without a response, or with 500 and up.")

	backupVerified = gauge("backup_verified_timestamp_seconds", "When a backup was last verified.")
	backupGood     = gauge("backup_good", "1 if the latest verification found the backup good.")

	backplaneUp = gauge("backplane_connected", "1 while NATS is connected.")

	channelReaders = gauge("realtime_readers", "Open streams.", "module", "channel")
	channelUpdates = total("realtime_updates_total", "Updates passed on to readers.", "module", "channel")
	channelCut     = total("realtime_readers_cut_total", "Readers that were too slow.", "module", "channel")
	channelOver    = total("realtime_overflows_total",
		"Times that more updates came than could be passed on; all readers reconnected.", "module", "channel")

	moduleState    = gauge("module_state", "1 for the state of a module's process, else 0.", "module", "state")
	moduleStarts   = total("module_starts_total", "Starts of a module's process.", "module")
	moduleMemory   = gauge("module_memory_bytes", "Resident memory of a module's process.", "module")
	moduleMost     = gauge("module_memory_limit_bytes", "Its bound.", "module")
	moduleHost     = gauge("module_host_memory_bytes", "Memory that the platform holds for a module.", "module")
	moduleHostMost = gauge("module_host_memory_limit_bytes", "Its bound.", "module")
	moduleCPU      = total("module_cpu_seconds_total", "Processor time of a module's processes.", "module")
	moduleInFlight = gauge("module_requests_in_flight", "Requests that are in a module.", "module")
	moduleWaiting  = gauge("module_requests_waiting", "Requests that wait for a place.", "module")
	moduleRequests = total("module_requests_total", "Requests that passed the gates and ended.", "module")
	moduleFailures = total("module_failures_total",
		"Of these, those that the platform answered in the module's place.", "module")
)
