import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDeps } from '../../../../framework/base/deps.ts';
import { type Loopback, listenOnLoopback } from '../../../../framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import type { Task } from '../model/mothership.ts';
import { createHttpInvoker, type HttpInvoker } from './http-invoker.ts';

let error: string;
let invoker: HttpInvoker;
/** Called with a request that gets no answer. */
let onSilent = () => {};
const listener = createServer((request, response) => {
  request.resume();
  if (request.url === '/silent') return onSilent();
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
});
let server: Loopback;
beforeAll(async () => {
  server = await listenOnLoopback(listener);
  const { url: base } = server;
  invoker = createHttpInvoker({
    ...createDeps({ clock: systemClock, log: nopLogger }),
    settings: {
      reconcilers: { base: `${base}/v1/run`, silent: `${base}/silent` },
      callTimeoutMs: 5000,
      workers: 1,
    },
    componentAccess: {
      identity: undefined,
      token: async () => 'opaque-token-of-access',
    },
  });
});
afterAll(async () => {
  await invoker.close();
  await server.close();
});

const password = 'hun"ter/2+';
const kubeconfig = `apiVersion: v1\nusers:\n- name: admin\n  user:\n    password: ${password}\n    client-key-data: aHVudGluZy1rZXk=\n`;

test.each([
  ['the kubeconfig of the task', kubeconfig],
  ['it in base64', Buffer.from(kubeconfig).toString('base64')],
  ['its password alone', password],
  ['its password in JSON in JSON', JSON.stringify(JSON.stringify(password))],
  ['its password with its user in base64', Buffer.from(`admin:${password}`).toString('base64')],
  ['its key, decoded', 'hunting-key'],
  ['the token of the URL of the callback', 'huntable-token-of-a-callback'],
  ['the password of the URL of the chart', 'hunted/%'],
  ['the token of its access', 'opaque-token-of-access'],
  ['a value that is marked as secret', 'hunt-of-a-value'],
  ['it in capitals', 'HUNT-OF-A-VALUE'],
  ['it in hex', Buffer.from('hunt-of-a-value').toString('hex')],
  ['a token of any other', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
])('a component reconciler that quotes %s: it is in no reason', async (_, quoted) => {
  error = `cannot read ${quoted} .`;
  const task = {
    component: 'a',
    kubeconfig,
    correlationID: 'c',
    callbackURL: 'http://mothership.example/v1/operations/s/callback/c?token=huntable-token-of-a-callback',
    url: 'https://me:hunted%2F%25@git.example/charts.git',
  } as Task;
  const secrets = [{ name: 'a.password', value: 'hunt-of-a-value' }];
  const outcome = await invoker.invoke(task, new AbortController().signal, secrets);
  expect(outcome).toEqual({
    kind: 'refused',
    cause: 'unusable',
    reason: expect.stringMatching(/^the component reconciler answered 400: cannot read .*\[redacted\]/),
  });
  expect(JSON.stringify(outcome)).not.toMatch(/hun|HUNT|68756e|aHVu|opaque|eyJ/);
});

test('a task that was sent when this process stops may run', async () => {
  const stopping = new AbortController();
  onSilent = () => stopping.abort(new Error('stopping'));
  const task = { component: 'silent', kubeconfig: '', correlationID: 'c', callbackURL: '', url: '' } as Task;
  expect(await invoker.invoke(task, stopping.signal)).toMatchObject({ kind: 'unknown' });
  expect(await invoker.invoke(task, stopping.signal)).toEqual({ kind: 'unsent' });
});
