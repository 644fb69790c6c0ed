package sdk

import "errors"

// remedies are hints for the author, by the code that a mistake in the module causes.
var remedies = map[Error]string{
	ErrRowsUnread: "an earlier query's rows are neither read to the end nor closed; call Close on them before " +
		"the transaction's next statement",
	ErrTransactionEnded: "an earlier statement of the transaction has failed, or it took more than 30 s; " +
		"return the first error from InTx",
	ErrRowTooLarge:     "a row has more than 1 MiB; select fewer or shorter columns",
	ErrMessageTooLarge: "a statement with its values has more than 1.25 MiB; use several",
	Error(ErrAccessDenied): "module.json does not declare this bucket in storage.buckets, or there is no " +
		"object storage here",
	Error("DATABASE_NOT_DECLARED"): "module.json has no database",
}

// withRemedy returns the text of an error, with its remedy if there is one.
func withRemedy(err error) string {
	for code, remedy := range remedies {
		if errors.Is(err, code) {
			return err.Error() + ": " + remedy
		}
	}
	return err.Error()
}
