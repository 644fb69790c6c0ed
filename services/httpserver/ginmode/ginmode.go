// Package ginmode owns one fact: gin reads GIN_MODE while it is initialised, and panics on a word that it
// does not know. The platform's environment is services/environment's table and nothing else, so the
// variable has to be gone by then.
//
// It works because Go initialises packages in the order of their paths as soon as all they import is
// initialised: this one imports os alone, while gin waits for packages whose paths sort behind this one's.
// cmd/narthex tests that it does.
package ginmode

import "os"

func init() { _ = os.Unsetenv("GIN_MODE") }
