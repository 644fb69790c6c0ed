package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// qrBlocks has, for a version and a level (its two bits), the number of blocks of equal length and of data
// bytes in each block: only for those that the addresses in the tests need (ISO/IEC 18004, table 9).
var qrBlocks = map[[2]int][2]int{
	{3, 0b00}: {1, 44}, {4, 0b00}: {2, 32}, {4, 0b11}: {2, 24}, {5, 0b00}: {2, 43}, {6, 0b00}: {4, 27},
}

var qrMasks = [8]func(y, x int) bool{
	func(y, x int) bool { return (y+x)%2 == 0 },
	func(y, _ int) bool { return y%2 == 0 },
	func(_, x int) bool { return x%3 == 0 },
	func(y, x int) bool { return (y+x)%3 == 0 },
	func(y, x int) bool { return (y/2+x/3)%2 == 0 },
	func(y, x int) bool { return y*x%2+y*x%3 == 0 },
	func(y, x int) bool { return (y*x%2+y*x%3)%2 == 0 },
	func(y, x int) bool { return ((y+x)%2+y*x%3)%2 == 0 },
}

// qrText decodes the code that a page shows. The code has no errors, so nothing is corrected.
func (p *tab) qrText() string {
	p.t.Helper()
	rows := strings.Fields(eval[string](p, `(() => {
		const svg = document.querySelector(".host-qr, .calendar .qr");
		const path = new Path2D(svg.querySelector("path").getAttribute("d"));
		const canvas = document.createElement("canvas").getContext("2d");
		const places = Array.from({ length: svg.viewBox.baseVal.width - 8 }, (_, n) => n + 0.5);
		const row = (y) => places.map((x) => Number(canvas.isPointInPath(path, x, y))).join("");
		return places.map(row).join(" ");
	})()`))
	text, err := decodeQR(rows)
	if err != nil {
		p.t.Fatalf("the code is not read: %v\n%s", err, strings.Join(rows, "\n"))
	}
	return text
}

// decodeQR decodes the bytes of a code from its modules, given as one string of 0 and 1 for each row.
func decodeQR(rows []string) (string, error) {
	size := len(rows)
	version := (size - 17) / 4
	dark := func(y, x int) bool { return rows[y][x] == '1' }
	format := 0
	for _, x := range []int{0, 1, 2, 3, 4} {
		format <<= 1
		if dark(8, x) {
			format |= 1
		}
	}
	format ^= 0b10101
	blocks, known := qrBlocks[[2]int{version, format >> 3}]
	if !known {
		return "", fmt.Errorf("version %d and level %b are not among those of the tests", version, format>>3)
	}
	alignment := size - 7 // the only alignment pattern of versions 2 to 6
	reserved := func(y, x int) bool {
		return y == 6 || x == 6 || y < 9 && x < 9 || y < 9 && x >= size-8 || y >= size-8 && x < 9 ||
			max(y-alignment, alignment-y) <= 2 && max(x-alignment, alignment-x) <= 2
	}
	var bits []bool
	up := true
	for right := size - 1; right > 0; right -= 2 {
		if right == 6 {
			right--
		}
		for i := range size {
			y := i
			if up {
				y = size - 1 - i
			}
			for _, x := range []int{right, right - 1} {
				if !reserved(y, x) {
					bits = append(bits, dark(y, x) != qrMasks[format&7](y, x))
				}
			}
		}
		up = !up
	}
	codeword := func(n int) (value byte) {
		for _, bit := range bits[8*n : 8*n+8] {
			value <<= 1
			if bit {
				value |= 1
			}
		}
		return value
	}
	var data []byte
	for block := range blocks[0] {
		for n := range blocks[1] {
			data = append(data, codeword(n*blocks[0]+block))
		}
	}
	at := 0
	take := func(count int) (value int) {
		for range count {
			value = value<<1 | int(data[at/8]>>(7-at%8)&1)
			at++
		}
		return value
	}
	mode := take(4)
	if mode == 7 { // an ECI header, which declares UTF-8
		take(8)
		mode = take(4)
	}
	length := take(8)
	if mode != 4 || at+8*length > 8*len(data) {
		return "", fmt.Errorf("mode %d with %d bytes, want bytes", mode, length)
	}
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(take(8))
	}
	return string(text), nil
}

// testQRCode: the address in the code leads to the pairing of this screen, also after a sign-in.
func testQRCode(t *testing.T, w *displayFixture, f *faultProxy) {
	screen := w.openScreen(t, f, "wall")
	code := screen.pairingCode()
	address := screen.qrText()
	if want := f.origin + "/#/admin/screens/" + code; address != want {
		t.Fatalf("the code says %q, want %q", address, want)
	}
	p := openPage(t, address, phone)
	p.submit("owner@example.org", wallPassword)
	p.waitForText("Code " + code[:3] + " " + code[3:] + " asks to show: Foyer wall")
	p.fill("Name this screen", "Lobby")
	p.click("checkbox", "I can see this code on the screen right now")
	p.click("button", "Pair this screen")
	screen.waitForText(`Paired as "Lobby"`)
	screen.waitForText("(1.0.0)")
}
