package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/narthex-platform/narthex/services/database"
)

const (
	// largestOffset is the accepted difference between two clocks. With more, times in emails, links and logs
	// disagree.
	largestOffset = 5 * time.Second
	// certificateWarning is how long before a certificate's expiry doctor warns.
	certificateWarning = 30 * 24 * time.Hour
)

// server checks the clock, the certificate and the connection of the database server.
func (e *Examination) server(ctx context.Context, db *database.Database) {
	e.clock(ctx, db)
	e.certificate(ctx, db)
	e.pooler(ctx, db)
}

func (e *Examination) clock(ctx context.Context, db *database.Database) {
	offset, err := db.ClockOffset(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case offset.Abs() > largestOffset:
		e.warn("CLOCK_DIFFERS", fmt.Sprintf("The clocks of this machine and of the database are %d s apart; let "+
			"both follow a time server.", int(offset.Abs()/time.Second)))
	default:
		e.ok("Clock: this machine and the database agree.")
	}
}

func (e *Examination) certificate(ctx context.Context, db *database.Database) {
	end, encrypted, err := db.CertificateEnd(ctx)
	if err != nil {
		e.blockAll(err)
		return
	}
	left := time.Until(end)
	switch days := int(left / (24 * time.Hour)); {
	case !encrypted: // the environment has decided whether that is allowed
	case left < certificateWarning:
		e.warn("DATABASE_CERTIFICATE_ENDS", fmt.Sprintf("The database's certificate ends in %d days; renew it, "+
			"or the platform will not connect any more.", max(days, 0)))
	default:
		e.ok("Database certificate: valid for %d more days.", days)
	}
}

// pooler compares SERVICE_DATABASE_POOLER with what is between this machine and the server.
func (e *Examination) pooler(ctx context.Context, db *database.Database) {
	behind, err := db.BehindPooler(ctx)
	pooled := false
	if err == nil && behind {
		pooled, err = db.PooledByTransaction(ctx)
	}
	says := e.Settings.Database.Pooled
	switch {
	case err != nil:
		e.blockAll(err)
	case pooled && !says:
		e.blockAll(database.ErrTransactionPooler)
	case pooled:
		e.storedSettings(ctx, db)
		e.ok("Database pooler: one in transaction mode, as SERVICE_DATABASE_POOLER=transaction says.")
	case says:
		e.warn("DATABASE_POOLER_ABSENT", "SERVICE_DATABASE_POOLER=transaction is set, but "+notPooled(behind)+
			"; remove it, because modules need more round trips with it.")
	case behind:
		e.ok("Database pooler: one in session mode, which needs no setting.")
	}
}

// storedSettings looks for the settings that only migrations:apply can give to sessions behind a pooler.
func (e *Examination) storedSettings(ctx context.Context, db *database.Database) {
	switch stored, err := db.StoredSettings(ctx); {
	case err != nil:
		e.blockAll(err)
	case !stored:
		e.warn("DATABASE_POOLER_SETTINGS", "The database user lacks the limit of a statement's time and the "+
			"costs of pages, which sessions behind the pooler need; run migrations:apply once more.")
	}
}

func notPooled(behind bool) string {
	if behind {
		return "the pooler in front of the database keeps a session for each connection (session mode)"
	}
	return "DATABASE_URL names the server itself"
}
