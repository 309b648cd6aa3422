// Package secretspb holds the generated types of the secrets manager's gRPC
// service.
package secretspb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative secrets.proto
