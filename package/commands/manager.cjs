#!/nodejs/bin/node
// In the image: the command of Deployments of the Kyma infrastructure manager, whose arguments are flags of `start`.
process.argv.splice(2, 0, 'start', '--controllers=infrastructure-manager');
void import('/provider-kyma/provider-kyma.mjs');
