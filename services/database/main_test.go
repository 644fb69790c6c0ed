package database_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }
