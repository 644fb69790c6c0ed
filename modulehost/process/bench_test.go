package process_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// BenchmarkRun measures fork, exec, handshake, start, stop and reaping.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		r := start(b, "good", nil)
		r.stop()
		<-r.ended
	}
}

// BenchmarkStart measures fork, exec, handshake and Start hook, with the whole sandbox and without any.
func BenchmarkStart(b *testing.B) {
	for name, sandbox := range map[string]func(*process.SandboxReport){
		"sandbox": func(*process.SandboxReport) {},
		"none":    func(r *process.SandboxReport) { r.Landlock, r.Seccomp = 0, false },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := start(b, "good", func(c *process.Config) { c.WithSandboxReport(sandbox) })
				b.StopTimer()
				r.stop()
				<-r.ended
				b.StartTimer()
			}
		})
	}
}

// BenchmarkHandle measures a small call to a real child.
func BenchmarkHandle(b *testing.B) {
	for name, parallel := range map[string]int{"1": 0, "32": 16} { // times GOMAXPROCS
		b.Run(name, func(b *testing.B) {
			r := start(b, "good", nil)
			ctx := testContext(b)
			request := &abi.HandleRequest{Path: []byte("/echo"), Body: make([]byte, 100)}
			call := func() {
				var response abi.HandleResponse
				if err := r.Call(ctx, abi.Method_METHOD_HANDLE, proto.CloneOf(request), &response); err != nil {
					b.Error(err)
				}
			}
			b.ReportAllocs()
			if parallel == 0 {
				for b.Loop() {
					call()
				}
				return
			}
			b.SetParallelism(parallel)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					call()
				}
			})
		})
	}
}
