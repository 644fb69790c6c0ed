package enablement

// Decisions is what was stored when it was read: module id → enabled.
type Decisions map[string]bool

// Enabled tells whether a module may run, by its decision or by the default.
func (d Decisions) Enabled(moduleID string) bool {
	enabled, decided := d[moduleID]
	return enabled || !decided
}

// Explicit tells whether somebody decided; if nobody did, the default holds.
func (d Decisions) Explicit(moduleID string) bool {
	_, decided := d[moduleID]
	return decided
}
