package platform

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// PermissionOrphaned is the code of a permission that people hold and its module has no more.
const PermissionOrphaned = "PERMISSION_ORPHANED"

// DroppedPermissions returns the permissions of the installed version of a module that the staged one lacks:
// none if the module is new, or if this platform cannot read the installed one.
func DroppedPermissions(modulesDir, staged string) []string {
	after, err := catalog.Inspect(staged, abi.PlatformVersion)
	if err != nil {
		return nil
	}
	before, err := catalog.Inspect(filepath.Join(modulesDir, after.Manifest.ID), abi.PlatformVersion)
	if err != nil {
		return nil
	}
	_, dropped := differ(permissionIDs(before.Manifest), permissionIDs(after.Manifest))
	return dropped
}

// Holders returns how many people hold each permission.
func Holders(ctx context.Context, settings environment.Database) (held map[string]int, err error) {
	err = WithDatabase(ctx, settings, nil, func(db *database.Database) error {
		held, err = authorization.NewStore(db.Pool()).Holders(ctx)
		return err
	})
	return held, err
}

// Orphaned returns the permissions below an installed module's id that people hold and the module does not
// declare, sorted. Grants of modules that are not installed are not meant: they wait for their module.
func Orphaned(installed *catalog.Catalog, held map[string]int) (orphaned []string) {
	for id := range held {
		owner, _, _ := strings.Cut(id, ".")
		module, found := installed.Module(owner)
		if found && !slices.Contains(permissionIDs(module.Manifest), id) {
			orphaned = append(orphaned, id)
		}
	}
	slices.Sort(orphaned)
	return orphaned
}

// OrphanedSentence says what became of a permission and what to do.
func OrphanedSentence(permission string, people int) string {
	who := "1 person holds"
	if people != 1 {
		who = fmt.Sprintf("%d people hold", people)
	}
	return who + " the permission " + permission + ", which its module has no more. What they were given " +
		"stays and has no effect; withdraw it under Permissions, and give them what took its place."
}
