package identity

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

func signUpSchema() []field {
	return []field{
		{name: "name", kind: "string", fault: func(text string) string {
			if !nameFits(text) {
				return "Invalid input"
			}
			return ""
		}},
		emailField(),
		{name: "password", kind: "string", fault: func(text string) string {
			if text == "" {
				return "Too small: expected string to have >=1 characters"
			}
			return ""
		}},
		{name: "callbackURL", kind: "string", optional: true},
		{name: "rememberMe", kind: "boolean", optional: true},
	}
}

// newAccount is the response to a sign-up, with the members in the order of the client's library.
type newAccount struct {
	Token *string        `json:"token"` // always null: sign-up opens no session
	User  newAccountUser `json:"user"`
}

type newAccountUser struct {
	Name          string  `json:"name"`
	Email         string  `json:"email"`
	EmailVerified bool    `json:"emailVerified"`
	Image         *string `json:"image"`
	CreatedAt     string  `json:"createdAt"`
	UpdatedAt     string  `json:"updatedAt"`
	ID            string  `json:"id"`
}

// signUp is available only where public sign-up is on (development). It does not reveal whether the address
// is taken: the response then has the same shape and cost the same work, but its id belongs to nobody.
func (s *Service) signUp(c *httpapi.Call, in input) error {
	if !s.signUps {
		return errSignUpDisabled
	}
	if err := checkLength(in.text("password")); err != nil {
		return err
	}
	ctx := c.Request.Context()
	hash, err := s.passwords.hash(ctx, in.text("password"))
	if err != nil {
		return err
	}
	address := strings.ToLower(in.text("email"))
	id := uuid.NewString()
	created, at, err := s.store.register(
		ctx,
		account{id: id, address: address, name: in.text("name"), passwordHash: hash},
	)
	if err != nil {
		return err
	}
	if created {
		s.post(s.verificationEmail(address))
	}
	now := httpapi.Time(at)
	return c.JSON(http.StatusOK, newAccount{User: newAccountUser{
		Name: in.text("name"), Email: address, CreatedAt: now, UpdatedAt: now, ID: id,
	}})
}

func checkLength(password string) error {
	switch units := passwordLength(password); {
	case units < minPassword:
		return errPasswordTooShort
	case units > maxPassword:
		return errPasswordTooLong
	}
	return nil
}
