package archive

import (
	"errors"
	"io"
	"io/fs"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

const (
	signatureSuffix   = ".sig"
	maxSignatureBytes = 64 << 10 // the largest RSA signatures have a few KiB
)

// signatureOf reads the signature beside a package, which ssh-keygen -Y sign -n narthex-module has written,
// and checks everything that does not need the package: the signer, the namespace, and whether the signer is
// allowed.
func (s *Signers) signatureOf(packagePath string) (*sshsig.Signature, error) {
	file, _, err := openRegular(packagePath + signatureSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refusal{code: ErrUnsigned, cause: err}
	}
	if err != nil {
		return nil, refusal{code: ErrSignature, cause: err,
			reason: "The signature beside the package cannot be read; check its permissions."}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSignatureBytes+1))
	if err != nil || len(text) > maxSignatureBytes {
		return nil, refusal{code: ErrSignature, cause: err}
	}
	signature, err := sshsig.Unarmor(text)
	if err != nil {
		return nil, refusal{code: ErrSignature, cause: err}
	}
	switch {
	case signature.Namespace != signatureNamespace:
		return nil, refusal{code: ErrSignature, reason: "The signature was made for another purpose; " +
			"modules are signed by: ssh-keygen -Y sign -n narthex-module"}
	case signature.HashAlgorithm != sshsig.HashSHA512 || signature.Signature.Format == ssh.KeyAlgoRSA: // SHA-1
		return nil, refusal{code: ErrSignature, reason: "The signature is of a kind that is not accepted; " +
			"modules are signed with SHA-512, as ssh-keygen does unless it is told otherwise."}
	case !s.allow(signature.PublicKey):
		return nil, refusal{code: ErrSignature, reason: "The package is signed by somebody who may not sign " +
			"modules here, or no longer or not yet; see the file that SERVICE_MODULE_SIGNERS names."}
	}
	return signature, nil
}

// verify checks that the signature was made for this message.
func verify(message io.Reader, signature *sshsig.Signature) error {
	err := sshsig.Verify(message, signature, signature.PublicKey, signature.HashAlgorithm, signatureNamespace)
	if err != nil {
		return refusal{code: ErrSignature, cause: err}
	}
	return nil
}
