// Package ginmode removes GIN_MODE from the environment. gin reads this variable while it is initialised, and
// panics if the value is unknown. The platform reads only the variables in the table of services/environment,
// so GIN_MODE must be removed before.
//
// It works because Go initialises packages in the order of their paths, each as soon as all its imports are
// initialised. This package imports only os. gin imports packages whose paths sort after this package's path.
// A test in cmd/narthex checks that it works.
package ginmode

import "os"

func init() { _ = os.Unsetenv("GIN_MODE") }
