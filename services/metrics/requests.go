package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func newRequests() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "narthex_http_requests_total", Help: "Responses, by the route's template and the status.",
	}, []string{"method", "route", "status"})
}

func newSeconds() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "narthex_http_request_seconds",
		Help:    "From the request's head to the end of its handler, by the route's template; without streams.",
		Buckets: []float64{.005, .025, .1, .5, 2.5, 10},
	}, []string{"route"})
}

func newRefusals() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "narthex_http_refusals_total", Help: "What a limit or a gate refused, by cause.",
	}, []string{"cause"})
}

// Route returns the function that counts the responses of one route. A duration of 0 is not observed.
func (m *Metrics) Route(method, path string) func(status int, took time.Duration) {
	return func(status int, took time.Duration) {
		m.requests.WithLabelValues(method, path, statusText(status)).Inc()
		if took > 0 {
			m.seconds.WithLabelValues(path).Observe(took.Seconds())
		}
	}
}

// Refused counts a refusal.
func (m *Metrics) Refused(cause string) { m.refusals.WithLabelValues(cause).Inc() }

// statusText is strconv.Itoa without an allocation.
func statusText(status int) string {
	if status >= 0 && status < len(statusTexts) {
		return statusTexts[status]
	}
	return strconv.Itoa(status)
}

var statusTexts = func() (texts [600]string) {
	for status := range texts {
		texts[status] = strconv.Itoa(status)
	}
	return texts
}()
