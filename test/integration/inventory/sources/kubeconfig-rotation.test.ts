/**
 * A kubeconfig is replaced while its cluster is in use: by another user, whose permissions the API server
 * distinguishes.
 */
import { expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import {
  addRestrictedUser,
  noRights,
  type RestrictedUser,
  watcherRole,
} from '../../harness/access/restricted-user.ts';
import { forFile } from '../../harness/for-file.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { sourceRequests } from '../../harness/source-requests.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment);

async function twoUsers(scenario: Scenario) {
  const { kyma } = environment.planes;
  const [old, next] = [
    await addRestrictedUser(kyma, scenario.namespace),
    await addRestrictedUser(kyma, scenario.namespace),
  ];
  await old.grant(watcherRole);
  await next.grant(watcherRole);
  await scenario.applyKubeconfig({ kubeconfig: old.kubeconfig });
  const requestsOf = ({ name: user }: RestrictedUser) =>
    sourceRequests(kyma, { user, namespace: scenario.namespace });
  return { old, next, requestsOf };
}

test.concurrent('the new kubeconfig is used at the next reconcile, and the old one never again', async () => {
  const scenario = await environment.scenario();
  const { old, next, requestsOf } = await twoUsers(scenario);
  await scenario.createReady();
  const before = await requestsOf(old);

  await scenario.applyKubeconfig({ kubeconfig: next.kubeconfig });
  await old.grant(noRights);
  const { status } = await scenario.reconcile();

  expect(status?.conditions).toMatchObject([
    { type: 'Synced', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'UpToDate', status: 'True' },
  ]);
  expect(before.gets).not.toEqual([]);
  expect(await requestsOf(old)).toEqual(before);
  expect((await requestsOf(next)).gets).toHaveLength(4);
});

test.concurrent('a mapping that waits goes on waiting with the new kubeconfig', async () => {
  const scenario = await environment.scenario();
  const { old, next, requestsOf } = await twoUsers(scenario);
  await scenario.applySources(['instance', 'binding', 'secret']);
  await scenario.create();
  await eventually(async () => expect(await requestsOf(old)).toMatchObject({ openWatches: 1 }));

  await scenario.applyKubeconfig({ kubeconfig: next.kubeconfig });
  await eventually(async () => expect(await requestsOf(next)).toMatchObject({ openWatches: 1 }));
  await eventually(async () => expect(await requestsOf(old)).toMatchObject({ openWatches: 0 }));
  await old.grant(noRights);
  await scenario.apply('config');
  await scenario.untilReady();
});
