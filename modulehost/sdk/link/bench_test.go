package link_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"
)

func BenchmarkCall(b *testing.B) {
	for _, size := range []int{100, 64 << 10, 1 << 20} {
		for _, callers := range []int{1, 32} {
			b.Run(fmt.Sprintf("%dB/%d", size, callers), func(b *testing.B) {
				c := connect(b, 256, echo)
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				request := raw(make([]byte, size))
				b.SetParallelism(max(callers/2, 1)) // times GOMAXPROCS
				b.SetBytes(int64(2 * size))
				b.ReportAllocs()
				call := func() {
					var response wrapperspb.BytesValue
					if err := c.Call(ctx, 1, request, &response); err != nil {
						b.Error(err)
					}
				}
				if callers == 1 {
					for b.Loop() {
						call()
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						call()
					}
				})
			})
		}
	}
}
