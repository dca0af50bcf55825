#!/nodejs/bin/node
// In the image: the command line, for `kubectl exec` in a container without a shell.
void import('/provider-kyma/provider-kyma.mjs');
