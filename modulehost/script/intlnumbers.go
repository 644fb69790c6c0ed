package script

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// numberOptions are those of Intl.NumberFormat that scripts have.
type numberOptions struct {
	Style, Currency                              string
	MinimumFractionDigits, MaximumFractionDigits *int
	MinimumIntegerDigits                         int
	UseGrouping                                  any
	Notation, Unit                               string
	MaximumSignificantDigits                     *int
	fraction                                     [2]int // the fewest and the most digits
}

// numberFormat formats numbers in a language, "" for the house's.
type numberFormat struct {
	locale string
	numberOptions
}

var (
	errCurrency = errors.New("TypeError: currency code is required with currency style")
	errNotation = errors.New("RangeError: a script formats numbers in standard notation, by the digits of a " +
		"fraction")
	errDigits = errors.New("RangeError: the numbers of digits are out of range")
)

// mostDigits bounds the digits of a fraction.
const mostDigits = 20

// check refuses what scripts do not have, and chooses the digits.
func (o *numberOptions) check() error {
	fewest, most := 0, 3
	switch o.Style {
	case "", "decimal":
	case "percent":
		most = 0
	case "currency":
		o.Currency = strings.ToUpper(o.Currency)
		if len(o.Currency) != 3 {
			return errCurrency
		}
		fewest, most = 2, 2
		if o.Currency == "JPY" {
			fewest, most = 0, 0
		}
	default:
		return fmt.Errorf("RangeError: a script formats decimal, percent and currency, and not %s", short(o.Style))
	}
	if o.Notation != "" && o.Notation != "standard" || o.MaximumSignificantDigits != nil {
		return errNotation
	}
	if given := o.MinimumFractionDigits; given != nil {
		fewest, most = *given, max(most, *given)
	}
	if given := o.MaximumFractionDigits; given != nil {
		most = *given
		if o.MinimumFractionDigits == nil {
			fewest = min(fewest, most)
		}
	}
	if fewest < 0 || most > mostDigits || fewest > most || o.MinimumIntegerDigits < 0 ||
		o.MinimumIntegerDigits > mostDigits {
		return errDigits
	}
	o.fraction = [2]int{fewest, most}
	return nil
}

// parts formats a number or a bigint.
func (f *numberFormat) parts(value goja.Value, l *language) []part {
	negative, whole, fraction := f.rounded(value)
	var number []part
	switch whole {
	case "NaN":
		number, negative = []part{{"nan", whole}}, false
	case "∞":
		number = []part{{"infinity", whole}}
	default:
		number = f.digits(whole, fraction, l)
	}
	switch f.Style {
	case "percent":
		if l == &german {
			number = append(number, part{"literal", "\u00a0"})
		}
		number = append(number, part{"percentSign", "%"})
	case "currency":
		symbol := part{"currency", symbolOf(f.Currency, l)}
		switch {
		case l == &german:
			number = append(number, part{"literal", "\u00a0"}, symbol)
		case symbol.text == f.Currency:
			number = append([]part{symbol, {"literal", "\u00a0"}}, number...)
		default:
			number = append([]part{symbol}, number...)
		}
	}
	if negative {
		number = append([]part{{"minusSign", "-"}}, number...)
	}
	return number
}

// rounded returns the digits of a number, rounded by its shortest decimal form, a half away from zero.
func (f *numberFormat) rounded(value goja.Value) (negative bool, whole, fraction string) {
	text := ""
	if n, is := value.Export().(*big.Int); is {
		text = n.String()
	} else {
		n := value.ToFloat()
		switch {
		case math.IsNaN(n):
			return false, "NaN", ""
		case math.IsInf(n, 0):
			return n < 0, "∞", ""
		}
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	text, negative = strings.TrimPrefix(text, "-"), strings.HasPrefix(text, "-")
	whole, fraction, _ = strings.Cut(text, ".")
	if f.Style == "percent" {
		fraction += strings.Repeat("0", max(0, 2-len(fraction)))
		whole, fraction = strings.TrimLeft(whole+fraction[:2], "0"), fraction[2:]
	}
	if most := f.fraction[1]; len(fraction) > most {
		up := fraction[most] >= '5'
		all, _ := new(big.Int).SetString("0"+whole+fraction[:most], 10)
		if up {
			all.Add(all, big.NewInt(1))
		}
		text := all.String()
		text = strings.Repeat("0", max(0, most+1-len(text))) + text
		whole, fraction = text[:len(text)-most], text[len(text)-most:]
	}
	for len(fraction) > f.fraction[0] && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	fraction += strings.Repeat("0", max(0, f.fraction[0]-len(fraction)))
	whole = strings.Repeat("0", max(0, max(1, f.MinimumIntegerDigits)-len(whole))) + whole
	return negative, whole, fraction
}

// digits writes the groups and the fraction.
func (f *numberFormat) digits(whole, fraction string, l *language) (all []part) {
	if f.UseGrouping == false || f.UseGrouping == "false" {
		all = []part{{"integer", whole}}
	} else {
		first := (len(whole)-1)%3 + 1
		all = append(all, part{"integer", whole[:first]})
		for at := first; at < len(whole); at += 3 {
			all = append(all, part{"group", l.group}, part{"integer", whole[at : at+3]})
		}
	}
	if fraction != "" {
		all = append(all, part{"decimal", l.decimal}, part{"fraction", fraction})
	}
	return all
}

func symbolOf(currency string, l *language) string {
	switch {
	case currency == "EUR":
		return "€"
	case currency == "USD" && l == &british:
		return "US$"
	case currency == "USD":
		return "$"
	case currency == "GBP":
		return "£"
	case currency == "JPY" && l == &british:
		return "JP¥"
	case currency == "JPY":
		return "¥"
	}
	return currency
}
