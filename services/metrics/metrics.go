// Package metrics owns what a monitoring system reads: the names of all metrics, their counts, and the
// listener that gives them out in Prometheus' text format. What they mean is in docs/operations/metrics.md.
//
// No label is a person, a host, an address or a path that a client wrote: routes are the templates of the
// route table, modules and channels the names of manifests.
package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts requests as they are answered, and asks its source for all else at each scrape. Safe for
// concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refusals *prometheus.CounterVec
}

// New makes the metrics of this process, which runs version. causes are those that Refused will be called
// with: each is there from the beginning, so that a first refusal shows as a rise.
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

// Add reads the source at each scrape, beside what is counted. It is called once.
func (m *Metrics) Add(source Source) { m.registry.MustRegister(collector{source}) }

// Handler answers every request with all metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
}

// maxScrapes are answered at a time; further ones get 503.
const maxScrapes = 4
