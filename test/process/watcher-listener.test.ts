import { afterEach, expect, test } from '@jest/globals';
import { createAuthority } from '../../hack/control-planes/access/authority.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { type HttpServer, startHttpServer } from '../../internal/framework/process/server/http-server.ts';
import {
  createRuntimeEvents,
  createWatcherListener,
  MAX_EVENT_BYTES,
} from '../../internal/systems/infrastructure-manager/registrycache/watcher-listener.ts';

let server: HttpServer;
afterEach(() => server?.close());

const PATH = '/v2/infrastructure-manager-registry-cache/event';
const event = JSON.stringify({ watched: { Namespace: 'default', Name: 'one' }, watchedGvk: {} });
const certificate = async (name: string) => {
  const { certificate: pem } = await (await createAuthority('watchers')).issueClient(name);
  return `Hash=1;Cert="${encodeURIComponent(pem)}";Subject=""`;
};

test.each([
  ['an event', 200, { body: event }, ['r1']],
  ['a GET', 405, { method: 'GET' }, []],
  ['another path', 404, { path: '/v1/other', body: event }, []],
  ['no certificate', 401, { body: event, header: '' }, []],
  ['a certificate that cannot be read', 401, { body: event, header: 'Cert="x"' }, []],
  ['a body that is no JSON', 500, { body: '{' }, []],
  ['a body of 17 KiB', 413, { body: 'x'.repeat(17 * 1024) }, []],
] as const)('[N99] %s is answered by %i', async (_, status, request, reported) => {
  const events = createRuntimeEvents();
  const ids: string[] = [];
  events.onEvent((id) => ids.push(id));
  server = await startHttpServer({
    ...{ clock: systemClock, log: nopLogger, address: '127.0.0.1:0' },
    listener: createWatcherListener(events),
    maxBodyBytes: MAX_EVENT_BYTES,
  });
  const {
    method = 'POST',
    path = PATH,
    body,
    header,
  } = request as {
    method?: string;
    path?: string;
    body?: string;
    header?: string;
  };
  const response = await fetch(`http://${server.address}${path}`, {
    method,
    headers: { 'x-forwarded-client-cert': header ?? (await certificate('r1')) },
    ...(body === undefined ? {} : { body }),
  });
  expect([response.status, ids]).toEqual([status, reported]);
});
