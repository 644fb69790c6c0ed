// Package metrics owns the metrics for a monitoring system: their names, their counts, and the listener that
// serves them in Prometheus' text format. docs/operations/metrics.md explains them.
//
// No label is a person, a host, an address or a path that a client wrote: routes are the templates of the
// route table, and the names of modules and channels come from manifests.
package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts responses, and reads all other figures from its source at each scrape. It is safe for
// concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refusals *prometheus.CounterVec
}

// New makes the metrics of this process, which runs version. causes are all arguments of later calls of
// Refused. Each has a counter of 0 from the beginning, so that the first refusal is visible as an increase.
func New(version string, causes []string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), requests: newRequests(), seconds: newSeconds(),
		refusals: newRefusals()}
	for _, cause := range causes {
		m.refusals.WithLabelValues(cause)
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "narthex_build_info", Help: "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.refusals, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Add adds the figures of a source, which is read at each scrape. Call it once.
func (m *Metrics) Add(source Source) { m.registry.MustRegister(collector{source}) }

// Handler returns the handler that responds with all metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
}

// maxScrapes is how many requests are handled at the same time; further ones get 503.
const maxScrapes = 4
