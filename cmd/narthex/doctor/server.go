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

func (e *Examination) pooler(ctx context.Context, db *database.Database) {
	pooled, err := db.PooledByTransaction(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case pooled:
		e.block("DATABASE_TRANSACTION_POOLER", "A pooler gives the database's sessions out for one transaction; "+
			"the platform needs sessions of its own. Let DATABASE_URL name the server itself, or set the pooler to "+
			"session mode.")
	}
}
