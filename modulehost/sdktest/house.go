package sdktest

import (
	"time"

	"github.com/narthex-platform/narthex/modulehost/facade"
)

// SetTimeZone sets the time zone of the house, as an administrator does while the module runs; "" is none.
func (m *Module) SetTimeZone(name string) {
	m.tb.Helper()
	if _, err := time.LoadLocation(name); err != nil {
		m.tb.Fatal("sdktest: the time zone of the house: ", err)
	}
	rev := int64(0)
	if before := m.houseNow.Load(); before != nil {
		rev = before.Rev + 1
	}
	m.houseNow.Store(&facade.House{Language: "en", TimeZone: name, Rev: rev})
}

func (m *Module) house() facade.House { return *m.houseNow.Load() }
