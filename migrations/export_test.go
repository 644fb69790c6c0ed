package migrations

import "context"

// ApplyWithCore is Apply with other files for Core.
func ApplyWithCore(ctx context.Context, core []File, options Options) (Report, error) {
	return apply(ctx, Line{ID: CoreLine, Files: core}, options)
}
