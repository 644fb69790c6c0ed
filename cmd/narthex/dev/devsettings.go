package dev

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// sampleSettings are the settings without which modules of the checkout cannot run, by module and key.
func sampleSettings(address string) map[string]map[string]string {
	return map[string]map[string]string{
		"rota": {"teamName": "Church office", "replyTo": "office@example.org", "dashboardLink": address},
	}
}

// configureSamples sets those settings for the installed modules that have none yet. It does not change saved
// ones.
func configureSamples(ctx context.Context, settings environment.Settings, installed *catalog.Catalog) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return platform.WithDatabase(ctx, settings.Database, nil, func(db *database.Database) error {
		store := configuration.NewStore(db.Pool())
		stored, err := store.All(ctx)
		if err != nil {
			return err
		}
		for id, values := range sampleSettings(string(settings.Identity.BaseURL)) {
			module, found := installed.Module(id)
			if _, known := stored[id]; !found || known {
				continue
			}
			sample := configuration.Replacement{By: chain.Operator(), Values: map[string]string{}}
			for _, declared := range module.Manifest.Configuration {
				sample.Declared = append(sample.Declared, declared.Key)
				if value, given := values[declared.Key]; given { // another module may have this id
					sample.Values[declared.Key] = value
				}
			}
			if err := store.Replace(ctx, id, sample); err != nil {
				return err
			}
		}
		return nil
	})
}
