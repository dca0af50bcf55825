// The process that holds the namespaces of a pod (see ../../binaries/programs.ts). Kubernetes publishes its own as a
// container image only.
module provider-kyma/node/pause

go 1.26.0
