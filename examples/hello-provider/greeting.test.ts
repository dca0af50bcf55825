/** Tests the kind with a real HTTP server, and the API server in memory of the framework. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createObjectWatcher, type Secret, secrets } from 'provider-kyma/kube';
import { getCondition } from 'provider-kyma/managed';
import { createFakeClock, createKindHarness, createMemoryClient } from 'provider-kyma/testing';
import { type Greeting, greeting } from './apis/hello.example.org/v1alpha1/greeting.gen.ts';
import { type Greeter, startGreeter } from './greeter.ts';
import { greetingKind } from './greeting.ts';

let greeter: Greeter;
beforeEach(async () => {
  greeter = await startGreeter(0);
});
afterEach(() => greeter.close());

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const kind = greetingKind({
    url: greeter.url,
    client,
    objectWatcher: createObjectWatcher({ client, clock }),
  });
  const harness = createKindHarness<Greeting>({
    kind,
    clock,
    client,
    resource: greeting({
      name: 'world',
      namespace: 'shop',
      spec: { forProvider: { text: 'Hello', tokenSecretRef: { name: 'greeter', key: 'token' } } },
    }),
  });
  const giveToken = (token = 's3cret') =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'greeter', namespace: 'shop' },
      data: { token: Buffer.from(token).toString('base64') },
    });
  const condition = (type: string) => getCondition(harness.stored() ?? assert.fail('it is gone'), type);
  return { ...harness, giveToken, condition };
}

test('a greeting is made, is ready, and its id is recorded', async () => {
  const { reconcile, giveToken, condition, stored } = setup();
  giveToken();

  await reconcile();

  assert.deepEqual([...greeter.texts], [['shop.world', 'Hello']]);
  assert.equal(condition('Ready')?.status, 'True');
  const greeting = stored();
  assert.equal(greeting?.metadata.annotations?.['crossplane.io/external-name'], 'shop.world');
  assert.deepEqual(greeting?.status?.atProvider, { text: 'Hello' });
});

test('what others change is put right, and what the user changes is taken over', async () => {
  const { reconcile, giveToken, patch } = setup();
  giveToken();
  await reconcile();

  greeter.texts.set('shop.world', 'Go away');
  await reconcile();
  assert.equal(greeter.texts.get('shop.world'), 'Hello');

  await patch({ spec: { forProvider: { text: 'Welcome' } } });
  await reconcile();
  assert.equal(greeter.texts.get('shop.world'), 'Welcome');
});

test('without its token a greeting waits, which is no failure, and names the Secret', async () => {
  const { reconcile, condition, recorder, giveToken } = setup();

  await reconcile();

  assert.equal(condition('Synced')?.reason, 'Waiting');
  assert.equal(condition('Ready')?.message, 'Secret shop/greeter not found');
  assert.deepEqual(recorder.lines(), ['Normal Waiting: Secret shop/greeter not found']);
  giveToken();
  await reconcile();
  assert.equal(condition('Ready')?.status, 'True');
});

test('what the API refuses is told, without the token', async () => {
  const { reconcile, condition, giveToken } = setup();
  giveToken('wr0ng');

  await reconcile();

  assert.equal(condition('Synced')?.reason, 'ReconcileError');
  assert.match(condition('Synced')?.message ?? '', /cannot GET greeting shop\.world: HTTP status 401/);
  assert.doesNotMatch(JSON.stringify(condition('Synced')), /wr0ng/);
});

test('an API that is not there is asked again later', async () => {
  const { reconcile, condition, giveToken } = setup();
  giveToken();
  greeter.failure = 503;

  assert.deepEqual(await reconcile(), { type: 'requeue' });

  assert.equal(condition('Synced')?.status, 'False');
  greeter.failure = undefined;
  await reconcile();
  assert.equal(condition('Synced')?.status, 'True');
});

test('a greeting is removed before its resource goes', async () => {
  const harness = setup();
  harness.giveToken();
  await harness.reconcile();
  await harness.delete();

  await harness.reconcile();
  assert.equal(greeter.texts.size, 0);
  await harness.reconcile();
  assert.equal(harness.stored(), undefined);
});
