// Pins what the Redis of Argo CD is built from (see ../../argocd.ts). To upgrade: `go get github.com/alicebob/miniredis/v2@v<version>`,
// `go mod tidy`.
module provider-kyma/argocd/redis

go 1.26.0

require github.com/alicebob/miniredis/v2 v2.35.0

require github.com/yuin/gopher-lua v1.1.1 // indirect
