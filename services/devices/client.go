package devices

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// askingRule bounds how often one client may ask for a pairing (contract.md §5).
var askingRule = ratelimit.Rule{Window: 10 * time.Second, Max: 3}

// counted counts a request for a pairing before anything of it is looked at.
func (s *Service) checkRate(c *httpapi.Call) error {
	client := clientaddress.Of(c.Request.Header)
	if ok, wait := s.limiter.Allow(askingRule, ratelimit.KeyOf(client, pairingPath)); !ok {
		return tooManyRequests{wait}
	}
	return nil
}

// client stands for who sent a request in the database, which is to know no addresses. It tells clients
// apart as ratelimit.KeyOf does: an IPv6 client by its /64, and all without an address together.
func (s *Service) client(c *httpapi.Call) []byte {
	return clientKey(s.clientKey, clientaddress.Of(c.Request.Header))
}

func clientKey(key []byte, client netip.Addr) []byte {
	client = client.Unmap()
	if client.Is6() {
		client = netip.PrefixFrom(client, 64).Masked().Addr()
	}
	address := client.As16()
	mac := hmac.New(sha256.New, key)
	mac.Write(address[:])
	return mac.Sum(nil)
}
