// A log receipt, verified with nothing but SHA-256 and Ed25519: Merkle inclusion (RFC 9162, 2.1.3.2) in the tree of a
// checkpoint that the log's key has signed (C2SP tlog-proof, tlog-checkpoint, signed-note).
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	indexLine     = regexp.MustCompile(`^index (0|[1-9][0-9]{0,15})$`)
	number        = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)
	signatureLine = regexp.MustCompile("^\u2014 ([^ ]+) ([^ ]+)$")
	keyText       = regexp.MustCompile(`^([^+ ]+)\+([0-9a-f]{8})\+([^ ]+)$`)
	smallOrder    = map[string]bool{
		"0100000000000000000000000000000000000000000000000000000000000000": true,
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f": true,
		"0000000000000000000000000000000000000000000000000000000000000000": true,
		"0000000000000000000000000000000000000000000000000000000000000080": true,
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05": true,
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85": true,
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a": true,
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa": true,
	}
)

const maxSize = 1<<53 - 1

// isSigned says whether the key has signed the message; points of small order sign nothing.
func isSigned(signature, message, publicKey []byte) bool {
	return len(signature) == ed25519.SignatureSize && len(publicKey) == ed25519.PublicKeySize &&
		!smallOrder[hex.EncodeToString(publicKey)] && !smallOrder[hex.EncodeToString(signature[:32])] &&
		ed25519.Verify(publicKey, message, signature)
}

// isIncluded says whether the hash is a leaf's at this place of a tree of this size and root.
func isIncluded(leafHash []byte, index, size uint64, proof [][]byte, root []byte) bool {
	if index >= size {
		return false
	}
	place, last, hash := index, size-1, leafHash
	for _, sibling := range proof {
		if last == 0 {
			return false
		}
		if place%2 == 1 || place == last {
			hash = sum([]byte{1}, sibling, hash)
			for place%2 == 0 && place != 0 {
				place, last = place/2, last/2
			}
		} else {
			hash = sum([]byte{1}, hash, sibling)
		}
		place, last = place/2, last/2
	}
	return last == 0 && bytes.Equal(hash, root)
}

// verifyReceipt gives the size of the tree in which the receipt shows the leaf; an error where it does not show it.
func verifyReceipt(text string, leaf []byte, origin string, keys []string) (uint64, error) {
	cut := strings.Index(text, "\n\n")
	if cut < 0 {
		return 0, errors.New("it has no checkpoint")
	}
	lines := strings.Split(text[:cut], "\n")
	if len(lines) < 2 || len(lines) > 66 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return 0, errors.New("it is no log receipt")
	}
	place := indexLine.FindStringSubmatch(lines[1])
	if place == nil {
		return 0, errors.New("its second line is no index")
	}
	index, err := strconv.ParseUint(place[1], 10, 64)
	if err != nil || index > maxSize {
		return 0, errors.New("its index is too large")
	}
	var proof [][]byte
	for _, line := range lines[2:] {
		hash, err := decode(line, sha256.Size)
		if err != nil {
			return 0, err
		}
		proof = append(proof, hash)
	}
	size, root, err := openCheckpoint(text[cut+2:], origin, keys)
	if err != nil {
		return 0, err
	}
	if !isIncluded(sum([]byte{0}, leaf), index, size, proof, root) {
		return 0, errors.New("the leaf is not in the tree")
	}
	return size, nil
}

func openCheckpoint(note, origin string, keys []string) (uint64, []byte, error) {
	cut := strings.LastIndex(note, "\n\n")
	if cut < 0 || !strings.HasSuffix(note, "\n") {
		return 0, nil, errors.New("the checkpoint is no signed note")
	}
	body, signers := note[:cut+1], 0
	for _, line := range strings.Split(strings.TrimSuffix(note[cut+2:], "\n"), "\n") {
		parts := signatureLine.FindStringSubmatch(line)
		if parts == nil {
			return 0, nil, errors.New("a line is no signature")
		}
		signature, err := decode(parts[2], -1)
		if err != nil || len(signature) < 4 {
			return 0, nil, errors.New("a signature is not base64")
		}
		for _, text := range keys {
			name, hint, publicKey, err := verifierKey(text)
			if err != nil {
				return 0, nil, err
			}
			if name != parts[1] || !bytes.Equal(hint, signature[:4]) {
				continue
			}
			if !isSigned(signature[4:], []byte(body), publicKey) {
				return 0, nil, errors.New("the log's signature is false")
			}
			signers++
		}
	}
	if signers == 0 {
		return 0, nil, errors.New("the log's key has not signed the checkpoint")
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(lines) != 3 || lines[0] != origin || !number.MatchString(lines[1]) {
		return 0, nil, errors.New("it is no checkpoint of this log")
	}
	size, err := strconv.ParseUint(lines[1], 10, 64)
	if err != nil || size > maxSize {
		return 0, nil, errors.New("its size is too large")
	}
	root, err := decode(lines[2], sha256.Size)
	return size, root, err
}

func verifierKey(text string) (name string, hint, publicKey []byte, err error) {
	parts := keyText.FindStringSubmatch(text)
	if parts == nil {
		return "", nil, nil, fmt.Errorf("%q is no verifier key", text)
	}
	key, err := decode(parts[3], 1+ed25519.PublicKeySize)
	if err != nil {
		return "", nil, nil, err
	}
	hint = sum([]byte(parts[1]+"\n"), key)[:4]
	if key[0] != 1 || hex.EncodeToString(hint) != parts[2] {
		return "", nil, nil, fmt.Errorf("%q is no Ed25519 verifier key", text)
	}
	return parts[1], hint, key[1:], nil
}

func decode(text string, length int) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text || (length >= 0 && len(data) != length) {
		return nil, fmt.Errorf("%q is not base64 in its one spelling, or has another length", text)
	}
	return data, nil
}

func sum(parts ...[]byte) []byte {
	hash := sha256.Sum256(bytes.Join(parts, nil))
	return hash[:]
}
