// Verifies a published log with golang.org/x/mod/sumdb, the code behind Go's checksum database: the signature of its
// checkpoint, every hash tile, every leaf's inclusion, and that it continues an older checkpoint. It shares no code
// with Referee; only the checkpoint's text, the paths and the entry bundles of C2SP tlog-tiles are read here, since
// sumdb has a tree text, paths and records of its own.
//
//	go run main.go VERIFIER_KEY FOLDER [OLDER_CHECKPOINT]
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8 // a tile has 2^8 hashes

// checkpoint is a signed state of the log: C2SP tlog-checkpoint.
type checkpoint struct {
	origin string
	tree   tlog.Tree
}

// openCheckpoint reads a checkpoint that the key has signed; signatures of other keys (cosignatures) are not looked at.
func openCheckpoint(path string, verifier note.Verifier) (checkpoint, error) {
	signed, err := os.ReadFile(path)
	if err != nil {
		return checkpoint{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return checkpoint{}, fmt.Errorf("%s: %w", path, err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 {
		return checkpoint{}, fmt.Errorf("%s: origin, size and root expected, got %q", path, opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || strconv.FormatInt(size, 10) != lines[1] {
		return checkpoint{}, fmt.Errorf("%s: %q is no size", path, lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return checkpoint{}, fmt.Errorf("%s: %q is no root", path, lines[2])
	}
	read := checkpoint{origin: lines[0], tree: tlog.Tree{N: size}}
	copy(read.tree.Hash[:], root)
	return read, nil
}

// tiles reads a folder of C2SP tlog-tiles. Paths of sumdb name the height as well: tile/8/0/000 is tile/0/000 here.
type tiles struct {
	folder string
	read   map[string][]byte // files by path
}

func (tiles) Height() int                     { return height }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (place tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(wanted))
	for i, tile := range wanted {
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
		if place.read[path] == nil {
			read, err := os.ReadFile(filepath.Join(place.folder, path))
			if err != nil {
				return nil, err
			}
			place.read[path] = read
		}
		data[i] = place.read[path]
	}
	return data, nil
}

// leaves reads the entry bundle with this number: each leaf after its length, two bytes, big-endian.
func (place tiles) leaves(number int64, width int) ([][]byte, error) {
	tile := tlog.Tile{H: height, L: 0, N: number, W: width}
	path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/0/", height), "tile/entries/", 1)
	bundle, err := os.ReadFile(filepath.Join(place.folder, path))
	if err != nil {
		return nil, err
	}
	var found [][]byte
	for rest := bundle; len(rest) > 0; {
		if len(rest) < 2 || len(rest) < 2+int(binary.BigEndian.Uint16(rest)) {
			return nil, fmt.Errorf("%s: the bundle is cut off in leaf %d", path, len(found))
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		found = append(found, rest[2:end])
		rest = rest[end:]
	}
	if len(found) != width {
		return nil, fmt.Errorf("%s: %d leaves, of %d", path, len(found), width)
	}
	return found, nil
}

// rebuild hashes all leaves to the tree and compares its root and each tile with what is published. It does not trust
// TileHashReader, which in some versions leaves a tile unchecked.
func (place tiles) rebuild(tree tlog.Tree) ([]tlog.Hash, error) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for start := int64(0); start < tree.N; start += 1 << height {
		leaves, err := place.leaves(start>>height, int(min(1<<height, tree.N-start)))
		if err != nil {
			return nil, err
		}
		for i, leaf := range leaves {
			hashes, err := tlog.StoredHashes(start+int64(i), leaf, reader)
			if err != nil {
				return nil, err
			}
			stored = append(stored, hashes...)
		}
	}
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil {
		return nil, err
	}
	if root != tree.Hash {
		return nil, fmt.Errorf("the leaves have root %s", root)
	}
	for level, hashes := 0, tree.N; hashes > 0; level, hashes = level+1, hashes>>height {
		for first := int64(0); first < hashes; first += 1 << height {
			tile := tlog.Tile{H: height, L: level, N: first >> height, W: int(min(1<<height, hashes-first))}
			data, err := tlog.ReadTileData(tile, reader)
			if err != nil {
				return nil, err
			}
			published, err := place.ReadTiles([]tlog.Tile{tile})
			if err != nil {
				return nil, err
			}
			if string(data) != string(published[0]) {
				return nil, fmt.Errorf("%s is not the tile of these leaves", tile.Path())
			}
		}
	}
	return stored, nil
}

func verify(key, folder, older string) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	now, err := openCheckpoint(filepath.Join(folder, "checkpoint"), verifier)
	if err != nil {
		return err
	}
	fmt.Printf("signature: %s, %d leaves, root %s\n", now.origin, now.tree.N, now.tree.Hash)
	place := tiles{folder, map[string][]byte{}}
	stored, err := place.rebuild(now.tree)
	if err != nil {
		return err
	}
	fmt.Printf("tiles: all as %d leaves make them\n", now.tree.N)
	hashes := tlog.TileHashReader(now.tree, place)
	for index := int64(0); index < now.tree.N; index++ {
		proof, err := tlog.ProveRecord(now.tree.N, index, hashes)
		if err != nil {
			return err
		}
		leaf := stored[tlog.StoredHashIndex(0, index)]
		if err := tlog.CheckRecord(proof, now.tree.N, now.tree.Hash, index, leaf); err != nil {
			return fmt.Errorf("leaf %d is not in the tree: %w", index, err)
		}
	}
	fmt.Printf("inclusion: %d leaves\n", now.tree.N)
	if older == "" {
		return nil
	}
	then, err := openCheckpoint(older, verifier)
	if err != nil {
		return err
	}
	if then.origin != now.origin {
		return fmt.Errorf("%s is of %s", older, then.origin)
	}
	if then.tree.N > 0 { // every log continues the empty one
		proof, err := tlog.ProveTree(now.tree.N, then.tree.N, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, now.tree.N, now.tree.Hash, then.tree.N, then.tree.Hash); err != nil {
			return fmt.Errorf("the log does not continue its state of %d leaves: %w", then.tree.N, err)
		}
	}
	fmt.Printf("consistency: continues %d leaves\n", then.tree.N)
	return nil
}

// min is a builtin only since Go 1.21; Debian 12 has 1.19.
func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func main() {
	if len(os.Args) < 3 || len(os.Args) > 4 {
		fmt.Fprintln(os.Stderr, "usage: verify VERIFIER_KEY FOLDER [OLDER_CHECKPOINT]")
		os.Exit(2)
	}
	older := ""
	if len(os.Args) == 4 {
		older = os.Args[3]
	}
	if err := verify(os.Args[1], os.Args[2], older); err != nil {
		fmt.Fprintln(os.Stderr, "not verified:", err)
		os.Exit(1)
	}
}
