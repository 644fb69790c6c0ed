package people

import (
	"context"
	"errors"
)

// EraseAgain is for a restored backup. It erases the people with these ids again, who were erased after the
// backup was made. It skips people who are not in the backup. It also skips the owner of that time and
// returns the owner's id, because the ownership must be transferred first.
func EraseAgain(
	ctx context.Context, store *Store, accounts Accounts, grants Grants, userIDs []string,
) (owners []string, err error) {
	for _, id := range userIDs {
		d, err := store.decisionOfOperator(ctx, Existing{UserID: id})
		if err == nil {
			_, err = store.deactivate(ctx, accounts, grants, d)
		}
		if err == nil {
			_, err = store.erase(ctx, accounts, grants, d)
		}
		switch {
		case errors.Is(err, ErrProtected):
			owners = append(owners, id)
		case err != nil && !errors.Is(err, ErrUserNotFound):
			return owners, err
		}
	}
	return owners, nil
}
