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

// askingRule limits how often one client may request a pairing.
var askingRule = ratelimit.Rule{Window: 10 * time.Second, Max: 3}

// checkRate counts a request for a pairing before any part of its body is read.
func (s *Service) checkRate(c *httpapi.Call) error {
	client := clientaddress.Of(c.Request.Header)
	if ok, wait := s.limiter.Allow(askingRule, ratelimit.KeyOf(client, pairingPath)); !ok {
		return tooManyRequests{wait}
	}
	return nil
}

// client returns the key by which the database identifies the sender, because it stores no addresses. It
// distinguishes clients as ratelimit.KeyOf does: IPv6 clients by their /64, and all without an address as
// one.
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
