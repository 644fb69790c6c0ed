package scaffold

import (
	"path"

	"github.com/narthex-platform/narthex/modulehost/sdkexport"
	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// serverTypes returns where the types of @narthex/server are, seen from server-src.
func (m Module) serverTypes(exported bool) string {
	const file = "narthex-server.d.ts"
	switch {
	case exported:
		return path.Join("../..", SDKFolder, sdkexport.ServerFolder, file)
	case m.Inside:
		return "../../../web/server/" + file
	}
	return "../types/server/" + file
}

// build builds a server in TypeScript, so that the new module can be installed as it is.
func (m Module) build() error {
	sdk, err := bundle.ReadSDK(web.SDK())
	if err != nil {
		return err
	}
	scripts, err := bundle.Module(m.Folder, sdk)
	if err != nil {
		return err
	}
	for _, script := range scripts {
		if err := m.write(script.Path, script.Bytes); err != nil {
			return err
		}
	}
	return nil
}
