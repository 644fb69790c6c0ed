package database

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	probeConns  = 1
	coreConns   = 15 // Core's share of 40 connections
	moduleConns = 24 // limit for all modules together, unless there are more modules
)

// budget is how many connections of a process are Core's, and how many those of all modules together. The
// probe has one more.
type budget struct{ core, modules int }

// divide returns the shares of a process. With another number than 40 they are to each other as with 40.
func divide(settings environment.Database) budget {
	if settings.Connections == 0 {
		return budget{coreConns, moduleConns}
	}
	rest := settings.Connections - probeConns
	core := (rest*coreConns + (coreConns+moduleConns)/2) / (coreConns + moduleConns)
	return budget{core, rest - core}
}

// Connections returns how many connections a process may open: the probe's, Core's, and those of the modules.
// modules is the number of modules with a database.
func Connections(settings environment.Database, modules int) int {
	divided := divide(settings)
	if settings.Connections == 0 {
		divided.modules = max(divided.modules, modules)
	}
	return probeConns + divided.core + divided.modules
}

// CheckConnections refuses a number of connections with which not every module can have one of its own.
// modules is the number of modules with a database. The error has the code of the environment's rule.
func CheckConnections(settings environment.Database, modules int) error {
	if settings.Connections == 0 || divide(settings).modules >= modules {
		return nil
	}
	least := settings
	for divide(least).modules < modules {
		least.Connections++
	}
	return tooFewError{modules, least.Connections}
}

type tooFewError struct{ modules, least int }

func (e tooFewError) Error() string {
	return fmt.Sprintf("%s: SERVICE_DATABASE_CONNECTIONS is too small: %d modules have a database, and each "+
		"needs a connection of its own; set it to %d or more, or remove it.", e.Code(), e.modules, e.least)
}

// Code returns the stable code.
func (e tooFewError) Code() string { return environment.ErrDatabaseConnections.Code() }

func (e tooFewError) Unwrap() error { return environment.ErrDatabaseConnections }
