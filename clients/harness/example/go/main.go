// conform makes the calls that referee-harness conform asks for: a question a line, an answer a line.
package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

type question struct {
	ID           int
	Server       string
	Method       string
	RequestBytes []byte `json:"request_bytes"`
	Sign         string
	PrivateKey   string `json:"private_key"`
}

type raw struct{} // sends and receives messages as the bytes they are

func (raw) Marshal(v interface{}) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v interface{}) error { *v.(*[]byte) = data; return nil }
func (raw) Name() string                               { return "proto" }

var connections = map[string]*grpc.ClientConn{}

func call(asked question) map[string]interface{} {
	if connections[asked.Server] == nil {
		connections[asked.Server], _ = grpc.Dial(asked.Server, grpc.WithInsecure())
	}
	var answer []byte
	err := connections[asked.Server].Invoke(context.Background(), asked.Method, &asked.RequestBytes, &answer, grpc.ForceCodec(raw{}))
	if err == nil {
		return map[string]interface{}{"answer_bytes": answer}
	}
	refused := map[string]interface{}{"code": int(status.Code(err))}
	for _, detail := range status.Convert(err).Details() {
		switch found := detail.(type) {
		case *errdetails.ErrorInfo:
			refused["reason"], refused["facts"] = found.Reason, found.Metadata
		case *errdetails.BadRequest:
			refused["field"] = found.FieldViolations[0].Field
		}
	}
	return map[string]interface{}{"refused": refused}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for line, err := lines.ReadBytes('\n'); err == nil; line, err = lines.ReadBytes('\n') {
		var asked question
		_ = json.Unmarshal(line, &asked)
		answer := map[string]interface{}{}
		if asked.Sign == "" {
			answer = call(asked)
		} else {
			key, _ := hex.DecodeString(asked.PrivateKey)
			statement, _ := hex.DecodeString(asked.Sign)
			answer["signature"] = hex.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(key), statement))
		}
		answer["id"] = asked.ID
		_ = json.NewEncoder(os.Stdout).Encode(answer)
	}
}
