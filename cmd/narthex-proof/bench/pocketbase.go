package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// The pages of PocketBase that do the same as two of the house: a person's duties, with their services and
// volunteers, and the services.
const (
	pocketbaseDuties = "/api/collections/duties/records?expand=service,volunteer&filter=volunteer.user%3D%22" +
		pocketbasePerson + "%22"
	pocketbaseServices = "/api/collections/services/records?sort=startsAt"
)

// pocketbasePerson is the id of the person who reads.
const pocketbasePerson = "personwhoreads1"

type object = map[string]any

// pocketbaseClient sends JSON as the superuser, once it has the token.
type pocketbaseClient struct {
	address, token string
}

func (c *pocketbaseClient) post(ctx context.Context, path string, value, result any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.address+path,
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return json.UnmarshalRead(response.Body, result)
}

// create creates a collection or a record and returns its id.
func (c *pocketbaseClient) create(ctx context.Context, path string, value object) (string, error) {
	var created struct {
		ID string `json:"id"`
	}
	err := c.post(ctx, path, value, &created)
	return created.ID, err
}

// signIn returns a token.
func (c *pocketbaseClient) signIn(ctx context.Context, collection string) (string, error) {
	var signed struct {
		Token string `json:"token"`
	}
	err := c.post(ctx, "/api/collections/"+collection+"/auth-with-password",
		object{"identity": ownerAddress, "password": ownerPassword}, &signed)
	return signed.Token, err
}

// fillPocketbase creates what the house's sample has of services and duties: six services with seven
// volunteers in each, of whom one is the person who reads. It returns the header line of that person.
func fillPocketbase(ctx context.Context, address string) (header string, err error) {
	c := &pocketbaseClient{address: address}
	if c.token, err = c.signIn(ctx, "_superusers"); err != nil {
		return "", err
	}
	create := func(path string, value object) (id string) {
		if err == nil {
			id, err = c.create(ctx, path, value)
		}
		return id
	}
	const collections, everybody = "/api/collections", "@request.auth.id != ''"
	records := func(of string) string { return collections + "/" + of + "/records" }
	text := func(name string) object { return object{"name": name, "type": "text"} }
	relation := func(name, to string) object {
		return object{"name": name, "type": "relation", "collectionId": to, "maxSelect": 1}
	}
	collection := func(name, rule, index string, fields ...object) string {
		return create(collections, object{"name": name, "type": "base", "listRule": rule, "viewRule": rule,
			"fields": fields, "indexes": []string{"CREATE INDEX idx_" + name + " ON " + name + " (" + index + ")"}})
	}
	services := collection("services", everybody, "startsAt", text("title"),
		object{"name": "startsAt", "type": "date"})
	volunteers := collection("volunteers", everybody, "user", text("label"),
		relation("user", "_pb_users_auth_"))
	collection("duties", "volunteer.user = @request.auth.id", "volunteer", text("role"), text("status"),
		relation("service", services), relation("volunteer", volunteers))
	create(records("users"), object{"id": pocketbasePerson, "email": ownerAddress, "password": ownerPassword,
		"passwordConfirm": ownerPassword, "verified": true})
	const each = 7
	var people []string
	for n := range each {
		volunteer := object{"label": fmt.Sprintf("Reader %d", n+1)}
		if n == 0 {
			volunteer["user"] = pocketbasePerson
		}
		people = append(people, create(records("volunteers"), volunteer))
	}
	for week := range 6 {
		service := create(records("services"), object{"title": "Sunday service",
			"startsAt": time.Now().AddDate(0, 0, 7*(week+1)).UTC().Format("2006-01-02 10:00:00.000Z")})
		for _, volunteer := range people {
			create(records("duties"), object{"role": "Reader", "status": "yes", "service": service,
				"volunteer": volunteer})
		}
	}
	if err != nil {
		return "", err
	}
	token, err := c.signIn(ctx, "users")
	return "Authorization: " + token, err
}
