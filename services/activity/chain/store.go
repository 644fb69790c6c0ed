package chain

import "github.com/go-json-experiment/json"

// Tx is a transaction whose last statement is sent in one message with COMMIT (services/store).
type Tx interface {
	Last(sql string, arguments ...any)
}

const recordEntries = `SELECT core.record_activity($1)`

// Record appends the entries to the chain when the transaction commits. That locks the chain's head, for
// which all writers wait, so it is the last thing that the transaction does, and no two transactions can
// deadlock because of it. A transaction may call it once. Without entries it does nothing.
func Record(tx Tx, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	texts := make([]string, len(entries))
	for i, entry := range entries {
		text, err := json.Marshal(entry, json.Deterministic(true))
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	tx.Last(recordEntries, texts)
	return nil
}
