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
	m.timeZone.Store(&name)
}

func (m *Module) house() facade.House {
	return facade.House{Language: "en", TimeZone: *m.timeZone.Load()}
}
