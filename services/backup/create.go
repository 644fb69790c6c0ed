package backup

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/storage"
)

// CreateOptions are the options of one backup.
type CreateOptions struct {
	// WithoutObjects leaves the buckets out.
	WithoutObjects bool
	// Recipients are age public keys; none: the file is not encrypted.
	Recipients []string
}

// Create writes a backup of the installation into a file. The file is renamed to path, replacing an older
// file, when it is complete. The ids of erased people are added to <path>.erased: see ReadErased. The
// platform may run during the backup: the database is copied from one snapshot, and each object in its state
// when it is read. Errors: ErrToolsMissing, ErrFailed, and the codes of database and storage.
func Create(
	ctx context.Context,
	installation Installation,
	path string,
	options CreateOptions,
) (Manifest, error) {
	file, err := createFile(path)
	if err != nil {
		return Manifest{}, err
	}
	m, erased, err := installation.write(ctx, file, options)
	if err == nil {
		err = appendErased(path, erased)
	}
	if err != nil {
		_ = file.discard()
		return Manifest{}, err
	}
	return m, file.publish()
}

func (i Installation) write(
	ctx context.Context, to io.Writer, options CreateOptions,
) (m Manifest, erased []string, err error) {
	sealed, closeSeal, err := seal(to, options.Recipients)
	if err != nil {
		return m, nil, err
	}
	s, err := takeSnapshot(ctx, i)
	if err != nil {
		return m, nil, err
	}
	defer s.close()
	programs, err := findTools(ctx, s.server)
	if err != nil {
		return m, nil, err
	}
	m = Manifest{
		Format: formatVersion, CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Platform: i.Platform,
		Server: s.server, WithoutObjects: options.WithoutObjects,
	}
	w := newWriter(sealed)
	core := migrations.Account{Schema: coreSchema, Connect: i.Connect}
	for _, account := range append([]migrations.Account{core}, s.accounts...) {
		folder, step := coreFolder, "database"
		if account.ModuleID != "" {
			folder, step = moduleFolder+account.ModuleID+"/", "database of "+account.ModuleID
			m.Modules = append(m.Modules, Module{ID: account.ModuleID, Schema: account.Schema})
		}
		dump := program{
			path: programs.dump, arguments: s.dumpArguments(account.Schema),
			environment: i.programsFor(account.Connect),
		}
		err := dump.run(ctx, func(from io.Reader) error {
			_, err := w.stream(folder, i.withProgress(step, from))
			return fileError(err)
		})
		if err != nil {
			return m, nil, err
		}
	}
	if m.Tables, err = s.counts(ctx); err != nil {
		return m, nil, err
	}
	if erased, err = s.erased(ctx); err != nil {
		return m, nil, err
	}
	s.close() // copying the objects does not need the snapshot
	if !options.WithoutObjects {
		if m.Vanished, err = i.copyObjects(ctx, w); err != nil {
			return m, nil, err
		}
	}
	if err := errors.Join(w.close(m), closeSeal()); err != nil {
		return m, nil, fileError(err)
	}
	m.Parts = w.parts
	return m, erased, nil
}

// copyObjects adds every object of the buckets, and returns how many were deleted before they could be
// copied.
func (i Installation) copyObjects(ctx context.Context, w *writer) (vanished int, err error) {
	var total int64
	for _, bucket := range i.Buckets {
		step := "files of " + bucket.Module
		err := eachObject(ctx, bucket.Store, func(key string) error {
			object, content, err := bucket.Store.Get(ctx, key, storage.Range{})
			if errors.Is(err, storage.ErrNotFound) {
				vanished++
				return nil
			}
			if err != nil {
				return err
			}
			name := objectFolder + bucket.Module + "/" + bucket.Bucket + "/" + key
			err = w.object(name, object.ContentType, object.Size, content)
			total += object.Size
			i.tell(step, total)
			return errors.Join(fileError(err), content.Close())
		})
		if err != nil {
			return vanished, err
		}
	}
	return vanished, nil
}

// eachObject calls do for each key of a bucket.
func eachObject(ctx context.Context, store Store, do func(key string) error) error {
	for after := ""; ; {
		page, err := store.List(ctx, "", after, 0)
		if err != nil {
			return err
		}
		for _, object := range page.Objects {
			if err := do(object.Key); err != nil {
				return err
			}
		}
		if after = page.Next; after == "" {
			return nil
		}
	}
}

// fileError replaces the text of an error of the file, which contains its path, by a sentence.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return err
	}
	return fail(ErrFailed, notWritten, err)
}
