package loglimit_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/loglimit"
)

func lines(logs *observer.ObservedLogs) (list []string) {
	for _, entry := range logs.TakeAll() {
		list = append(list, fmt.Sprintf("%s %s %v", entry.Level, entry.Message, entry.ContextMap()["count"]))
	}
	return list
}

func assertEqual(t *testing.T, when string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: logged %q, want %q", when, got, want)
	}
}

func TestOneLineASecondAndKindThatCountsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.InfoLevel)
		l := loglimit.New(zap.New(core))
		var storm sync.WaitGroup
		for range 10 {
			storm.Go(func() {
				for range 100 {
					l.Log("a", zap.ErrorLevel, "failed")
				}
			})
		}
		storm.Wait()
		l.Log("b", zap.WarnLevel, "broken")
		assertEqual(t, "at once", lines(logs), "error failed 1", "warn broken 1")
		time.Sleep(time.Second)
		synctest.Wait()
		assertEqual(t, "after a second", lines(logs), "error failed 999")
		l.Log("a", zap.ErrorLevel, "failed")
		assertEqual(t, "within the next second", lines(logs))
		time.Sleep(time.Second)
		synctest.Wait()
		assertEqual(t, "after it", lines(logs), "error failed 1")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assertEqual(t, "nothing happens", lines(logs))
		l.Log("a", zap.ErrorLevel, "failed")
		assertEqual(t, "after a rest", lines(logs), "error failed 1")
		l.Log("a", zap.ErrorLevel, "failed")
		l.Log("a", zap.ErrorLevel, "failed")
		l.Close()
		assertEqual(t, "closed", lines(logs), "error failed 2")
		l.Log("a", zap.ErrorLevel, "failed")
		l.Log("a", zap.ErrorLevel, "failed")
		assertEqual(t, "after the end", lines(logs), "error failed 1", "error failed 1")
		l.Close()
		time.Sleep(time.Minute) // no timer may be left that writes a line
		assertEqual(t, "later", lines(logs))
	})
}
