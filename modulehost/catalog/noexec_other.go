//go:build !linux

package catalog

func forbidsPrograms(string) bool { return false }
