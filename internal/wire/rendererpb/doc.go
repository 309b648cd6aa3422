// Package rendererpb holds the generated types of the renderer's gRPC service.
package rendererpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative renderer.proto
