package people

import (
	"context"
	"errors"
)

// EraseAgain erases the people who were erased after the backup was made that is being restored. It leaves
// out whom the backup does not know, and the owner of that time, whose id it returns: the ownership has to be
// handed on first.
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
