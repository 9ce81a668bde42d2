// smoke HOST:PORT LOG_KEY VECTORS: deals, settles and verifies one round of Mau Binh; prints one line of JSON.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	referee "referee/v1"
)

const seats = 4

// How soon a server that is back is found: the pause between attempts grows to 2 s and not to 2 min.
var reconnecting = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
	MinConnectTimeout: 5 * time.Second,
}

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("smoke HOST:PORT LOG_KEY VECTORS"))
	}
	checked, err := checkVectors(os.Args[3])
	fail(err)
	played, err := play(os.Args[1], os.Args[2])
	fail(err)
	played["vectors"] = checked
	fail(json.NewEncoder(os.Stdout).Encode(played))
}

func play(address, logKey string) (map[string]interface{}, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connection, err := grpc.DialContext(ctx, address, grpc.WithInsecure(), grpc.WithBlock(), grpc.WithConnectParams(reconnecting))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	shuffler, judge := referee.NewShufflerServiceClient(connection), referee.NewMauBinhServiceClient(connection)

	table := "smoke-go-" + hex.EncodeToString(random(6))
	terms := &referee.RoundTerms{
		TableId: table, RulesetId: "mau_binh.classic", SeatCount: seats, Currency: "CHIP", StakeMinor: 10,
	}
	opened, err := shuffler.OpenRound(ctx, &referee.OpenRoundRequest{
		Round: &referee.OpenRoundRequest_Terms{Terms: terms},
	})
	if err != nil {
		return nil, err
	}
	seeds := make([][]byte, seats)
	for seat := range seeds {
		seeds[seat] = random(32)
	}
	dealt, err := shuffler.DealRound(ctx, &referee.DealRoundRequest{Round: opened.Header.Round, ClientSeeds: seeds})
	if err != nil {
		return nil, err
	}
	round := &referee.MauBinhRound{Header: opened.Header, Certificates: [][]byte{dealt.Certificate}}
	preview, err := judge.PreviewRound(ctx, &referee.MauBinhServicePreviewRoundRequest{Round: round})
	if err != nil {
		return nil, err
	}
	if len(preview.Violations) > 0 { // nobody has won at once: every seat puts its cards down as they were dealt
		for _, hand := range dealt.Hands {
			arrangement := &referee.Arrangement{Back: hand.Cards[:5], Middle: hand.Cards[5:10], Front: hand.Cards[10:]}
			round.Events = append(round.Events, &referee.MauBinhEvent{
				Time: dealt.DealtTime, Seat: hand.Seat, Choice: &referee.MauBinhEvent_Arrange{Arrange: arrangement},
			})
		}
	}
	settled, err := judge.SettleRound(ctx, &referee.MauBinhServiceSettleRoundRequest{Round: round})
	if err != nil {
		return nil, err
	}
	if len(settled.Violations) > 0 {
		return nil, fmt.Errorf("the round cannot be settled: %v", settled.Violations)
	}
	receipt := settled.LogReceipt
	text := fmt.Sprintf("c2sp.org/tlog-proof@v1\nindex %d\n", receipt.LeafIndex)
	for _, hash := range receipt.InclusionProof {
		text += base64.StdEncoding.EncodeToString(hash) + "\n"
	}
	origin := strings.SplitN(logKey, "+", 2)[0]
	size, err := verifyReceipt(text+"\n"+receipt.Checkpoint, receipt.Leaf, origin, []string{logKey})
	if err != nil {
		return nil, err
	}
	net := []int64{}
	for _, seat := range settled.Outcome.Seats {
		net = append(net, seat.NetMinor)
	}
	leaf := sha256.Sum256(receipt.Leaf)
	return map[string]interface{}{
		"table_id": table, "leaf_index": receipt.LeafIndex, "leaf_sha256": hex.EncodeToString(leaf[:]),
		"tree_size": size, "net": net,
	}, nil
}

type row struct {
	ID        string   `json:"id"`
	Why       string   `json:"why"`
	Holds     bool     `json:"holds"`
	Receipt   string   `json:"receipt"`
	Leaf      string   `json:"leaf"`
	Origin    string   `json:"origin"`
	Keys      []string `json:"keys"`
	Index     uint64   `json:"index"`
	Size      uint64   `json:"size"`
	Root      string   `json:"root"`
	LeafHash  string   `json:"leaf_hash"`
	Proof     []string `json:"proof"`
	PublicKey string   `json:"public_key"`
	Message   string   `json:"message"`
	Signature string   `json:"signature"`
}

func checkVectors(folder string) (map[string]int, error) {
	checks := map[string]func(row) bool{
		"log/receipt": func(vector row) bool {
			_, err := verifyReceipt(vector.Receipt, unhex(vector.Leaf), vector.Origin, vector.Keys)
			return (err == nil) == vector.Holds
		},
		"log/merkle_inclusion": func(vector row) bool {
			var proof [][]byte
			for _, hash := range vector.Proof {
				proof = append(proof, unhex(hash))
			}
			return isIncluded(unhex(vector.LeafHash), vector.Index, vector.Size, proof, unhex(vector.Root))
		},
		"evidence/ed25519_signatures": func(vector row) bool {
			return isSigned(unhex(vector.Signature), unhex(vector.Message), unhex(vector.PublicKey)) == vector.Holds
		},
	}
	counts := map[string]int{}
	for name, holds := range checks {
		file, err := os.Open(filepath.Join(folder, name+".jsonl"))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			var vector row
			if err := json.Unmarshal(lines.Bytes(), &vector); err != nil {
				return nil, err
			}
			if !holds(vector) {
				return nil, fmt.Errorf("%s %s: %s", name, vector.ID, vector.Why)
			}
			counts[name]++
		}
		file.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func random(count int) []byte {
	data := make([]byte, count)
	_, err := rand.Read(data)
	fail(err)
	return data
}

func unhex(text string) []byte {
	data, err := hex.DecodeString(text)
	fail(err)
	return data
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
