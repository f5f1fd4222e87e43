package umpire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPublishedVectors holds the pairs that are published beside RFC 8785.
func TestPublishedVectors(t *testing.T) {
	inputs, err := filepath.Glob("testdata/rfc8785/*.input.json")
	if err != nil || len(inputs) != 6 {
		t.Fatalf("%d inputs, %v; want 6", len(inputs), err)
	}
	for _, path := range inputs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.Replace(path, ".input.", ".output.", 1))
			if err != nil {
				t.Fatal(err)
			}
			got, err := canonicalArguments(in)
			if err != nil || string(got.full) != string(want) {
				t.Errorf("got  %s, %v\nwant %s", got.full, err, want)
			}
		})
	}
}

// TestPublishedNumbers writes the first numbers of the published sequence and
// compares the SHA-256 sums that are published with it.
func TestPublishedNumbers(t *testing.T) {
	sums := map[int]string{
		1_000:   "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
		10_000:  "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
		100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
	}
	next, whole := publishedNumbers(t), sha256.New()
	for n := 1; n <= 100_000; n++ {
		bits := next()
		line := strconv.AppendUint(nil, bits, 16)
		line = append(appendNumber(append(line, ','), math.Float64frombits(bits)), '\n')
		whole.Write(line)
		if want := sums[n]; want != "" && hex.EncodeToString(whole.Sum(nil)) != want {
			t.Fatalf("the first %d numbers are not written as published", n)
		}
	}
}

// publishedNumbers yields the sequence: the numbers of the file, two thousand
// that follow the smallest normal one, and then what SHA-256 makes of itself.
func publishedNumbers(t *testing.T) func() (bits uint64) {
	t.Helper()
	text, err := os.ReadFile("testdata/rfc8785/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []uint64
	for _, word := range strings.Fields(string(text)) {
		var bits uint64
		if _, err := fmt.Sscanf(word, "%x", &bits); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		list = append(list, bits)
	}
	for i := range uint64(2000) {
		list = append(list, 0x0010000000000000+i)
	}
	var block [sha256.Size]byte
	var rest []byte
	return func() uint64 {
		if len(list) > 0 {
			bits := list[0]
			list = list[1:]
			return bits
		}
		for {
			if len(rest) == 0 {
				block = sha256.Sum256(block[:])
				rest = block[:]
			}
			bits := binary.LittleEndian.Uint64(rest)
			rest = rest[8:]
			if f := math.Float64frombits(bits); f != 0 && !math.IsNaN(f) && !math.IsInf(f, 0) {
				return bits
			}
		}
	}
}
