import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { canI } from '../../../internal/framework/kube/client/access-review.ts';
import { leases } from '../../../internal/framework/kube/object/resource-type.ts';
import { startBareEnvironment } from '../harness/bare-environment.ts';
import { connect } from '../kube/connect.ts';
import { preparePod } from './pod.ts';

/** Files that run at the same time prepare pods of one revision, in namespaces of their own. */
test('the service account of a pod keeps its rights when another pod is prepared', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pod-'));
  const environment = await startBareEnvironment();
  const client = connect(environment.planes.management.kubeconfig);
  try {
    const first = await preparePod(environment, join(folder, 'first'));
    const second = await preparePod(environment, join(folder, 'second'));
    for (const { namespace, env } of [first, second]) {
      const user = `system:serviceaccount:${namespace}:${env.REVISION_NAME}`;
      const answer = await canI(client, { verb: 'create', type: leases }, { user });
      expect({ namespace, ...answer }).toMatchObject({ namespace, allowed: true });
    }
  } finally {
    await client.close();
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
