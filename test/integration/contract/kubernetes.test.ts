/** The cases of the memory client's contract on a real API server. */
import { afterAll, beforeAll, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { contractCases } from '../../contract/kubernetes/cases.ts';
import type { ContractServer } from '../../contract/kubernetes/contract-case.ts';
import { contractCrds } from '../../contract/kubernetes/kinds.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace } from '../kube/connect.ts';

let plane: ControlPlaneAccess;
let client: RestClient;
let server: ContractServer;

beforeAll(async () => {
  ({ management: plane } = await controlPlanes());
  client = connect(plane.kubeconfig);
  const newNamespace = async () => {
    const name = uniqueName('contract');
    await createNamespace(client, name);
    return name;
  };
  const [namespace] = await Promise.all([newNamespace(), installCrds(plane, contractCrds)]);
  server = {
    client,
    namespace,
    newNamespace,
    // Older than the kind.
    expiredVersion: async () => '1',
    pass: async () => undefined,
  };
});
afterAll(async () => {
  await client?.close();
});

test.each(contractCases)('$title', ({ run }) => run(server));
