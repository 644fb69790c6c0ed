//go:build !linux

package stream

import "errors"

// watch exists only on Linux. Elsewhere each stream is written by its own goroutine.
type watch struct{}

func newWatch() (*watch, error) { return nil, errors.ErrUnsupported }

func (*watch) close()           {}
func (*watch) add(*Reader) bool { return false }
func (*watch) drop(*Reader)     {}

func write(int32, []byte) int { return -1 }

// yielder has nothing to do where there are no shards.
type yielder struct{}

func (*yielder) yield() {}
func (*yielder) close() {}
