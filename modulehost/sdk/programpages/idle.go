package programpages

import (
	"context"
	"runtime/metrics"
	"time"
)

// releaseEvery is how often ReleaseWhenIdle releases the pages (measured: every 2 s costs an idle daemon
// 0.25 % of a processor).
const releaseEvery = 5 * time.Second

// ReleaseWhenIdle calls Release every five seconds while the process is idle, until ctx ends. The kernel maps
// 64 KiB around each page that is used: what an idle daemon does in ten seconds uses 1.7 MiB of its program,
// and maps 9. A process counts as idle while there is at most one garbage collection in five seconds.
func ReleaseWhenIdle(ctx context.Context) {
	ticker := time.NewTicker(releaseEvery)
	defer ticker.Stop()
	for last := collections(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := collections()
		if now-last <= 1 {
			Release()
		}
		last = now
	}
}

func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
