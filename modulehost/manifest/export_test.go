package manifest

// WalkingPackage is OpenPackage where the kernel has no openat2.
func WalkingPackage(folder string) (*Package, error) {
	p, err := OpenPackage(folder)
	if err == nil {
		p.open = openWalking
	}
	return p, err
}
