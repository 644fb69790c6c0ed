package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// hashedPage returns the page of a folder of web and its script, host.js, with compressed copies of both. The
// page names the script by its hash, where its source has {hash}, so that the two always belong together.
func hashedPage(folder string, script []byte) ([]output, error) {
	page, err := pageWithScripts("web/" + folder + "/index.html")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(script)
	named := bytes.ReplaceAll(page, []byte("{hash}"), []byte(hex.EncodeToString(sum[:8])))
	if bytes.Equal(named, page) {
		return nil, fmt.Errorf("web/%s/index.html has no place for {hash}", folder)
	}
	pages, err := withCodings("web/dist/"+folder+"/index.html", named)
	if err != nil {
		return nil, err
	}
	scripts, err := withCodings("web/dist/"+folder+"/host.js", script)
	return slices.Concat(pages, scripts), err
}
