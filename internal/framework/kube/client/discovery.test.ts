import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { kindOf } from '../../base/errors/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import {
  refuse,
  reply,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../fakes/scripted-server.ts';
import { clusterWidgets } from '../fakes/widget.ts';
import { secrets } from '../object/resource-type.ts';
import { isServed, typeOfKind } from './discovery.ts';
import { createKubeClient, type RestClient } from './rest-client.ts';

let server: ScriptedServer;
let client: RestClient;
beforeEach(async () => {
  server = await startScriptedServer();
  const config = { server: server.url, credentials: async () => ({ headers: {} }) };
  client = createKubeClient({ config, clock: systemClock, clusterName: 'cluster test' });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const resources = (...names: string[]) => reply(200, { resources: names.map((name) => ({ name })) });

const groups = reply(200, { kind: 'APIGroupList', groups: [] });

test.each<{ reason: string; script: Script; served: boolean }>([
  { reason: 'it is listed', script: resources('widgets/status', 'widgets'), served: true },
  { reason: 'another one is listed', script: resources('gadgets', 'widgets/status'), served: false },
  { reason: 'the group has no resources', script: resources(), served: false },
  { reason: 'the group is unknown', script: reply(404, '404 page not found'), served: false },
])('a type is served or not: $reason', async ({ script, served }) => {
  // The list of groups is requested only after a 404 without a Status.
  server.next(script, groups);
  expect(await isServed(client, clusterWidgets)).toBe(served);
  expect(server.requests[0]?.url).toBe('/apis/example.org/v1');
});

test('types of the core group have a path of their own', async () => {
  server.next(resources('secrets'));
  expect(await isServed(client, secrets)).toBe(true);
  expect(server.requests[0]?.url).toBe('/api/v1');
});

test.each<{ reason: string; script: Script; kind: string; message: string }>([
  {
    reason: 'the aggregated API server is down',
    script: refuse(503, 'ServiceUnavailable', { message: 'service unavailable' }),
    kind: 'transient',
    message: 'cannot discover example.org/v1 on cluster test: service unavailable',
  },
  {
    reason: 'the user may not ask',
    script: refuse(403, 'Forbidden'),
    kind: 'auth',
    message: 'cannot discover example.org/v1 on cluster test: Forbidden',
  },
  {
    reason: 'something else answers',
    script: reply(200, { resources: [{}] }),
    kind: 'transient',
    message: 'cannot discover example.org/v1 on cluster test: the response is not a list of resources',
  },
])('it is unknown whether a type is served if $reason', async ({ script, kind, message }) => {
  server.next(script);
  const error = await isServed(client, clusterWidgets).catch((thrown: unknown) => thrown);
  expect([kindOf(error), (error as Error).message]).toEqual([kind, message]);
});

test('the fake of a cluster serves all types', async () => {
  expect(await isServed(createMemoryClient({ clock: systemClock }), clusterWidgets)).toBe(true);
});

test.each<{ reason: string; script: Script; found: object | undefined }>([
  {
    reason: 'it is listed',
    script: reply(200, {
      resources: [
        { name: 'gadgets/status', kind: 'Gadget', namespaced: false },
        { name: 'gadgets', kind: 'Gadget', namespaced: true },
      ],
    }),
    found: { group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true },
  },
  { reason: 'others are listed', script: resources('widgets'), found: undefined },
  { reason: 'the group is unknown', script: reply(404, '404 page not found'), found: undefined },
])('the type of a kind is known or not: $reason', async ({ script, found }) => {
  server.next(script, groups);
  const kind = { group: 'example.org', version: 'v1', kind: 'Gadget' };
  expect(await typeOfKind(client, kind)).toEqual(found);
});
