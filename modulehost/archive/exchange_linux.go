package archive

import "golang.org/x/sys/unix"

// exchange swaps two names in one step, so that both exist at every moment.
func (d *directory) exchange(one, other string) error {
	fd := int(d.self.Fd())
	return unix.Renameat2(fd, one, fd, other, unix.RENAME_EXCHANGE)
}
