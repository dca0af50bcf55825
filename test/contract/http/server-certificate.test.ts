import { createServer } from 'node:https';
import { expect, test } from '@jest/globals';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { openConnections } from '../../../internal/framework/http/transport/connections.ts';
import { describeNetworkFailure } from '../../../internal/framework/http/transport/network-failure.ts';
import { createTransport } from '../../../internal/framework/kube/transport/transport.ts';

const { signal } = new AbortController();

test('a server whose certificates are very large is refused, by its name too', async () => {
  const authority = await createAuthority('test');
  const ca = authority.certificate;
  const none = { env: {}, allowPrivateEndpoints: true, keepAliveMs: 100 };
  const direct = openConnections({
    ...{ ...none, perOrigin: 1, connectTimeoutMs: 1000, trustedCertificates: [ca] },
  });
  const outcomes = [];
  for (const count of [1, 600]) {
    const names = Array.from({ length: count }, (_, n) => `${'a'.repeat(40)}-${n}.example`);
    const { certificate, key } = await authority.issueServer(['127.0.0.1', ...names]);
    const tls = createServer({ cert: certificate, key }, (_request, response) => void response.end('ok'));
    await using listening = await listenOnLoopback(tls);
    const { url } = listening;
    const message = (error: Error) => describeNetworkFailure(error).text;
    for (const tlsServerName of [undefined, names[0] ?? '', '127.0.0.1']) {
      const transport = createTransport({
        config: {
          ...{ server: url, credentials: async () => ({ headers: {}, ca }) },
          ...(tlsServerName === undefined ? {} : { tlsServerName }),
        },
        env: {},
      });
      const request = { method: 'GET', path: '/', headers: {}, signal } as const;
      outcomes.push(await transport.call(request, 100).then(({ body }) => body, message));
      await transport.close();
    }
    const dispatcher = direct.dispatcherFor(new URL(url));
    const other = dispatcher.request({ origin: url, path: '/', method: 'GET' });
    outcomes.push(await other.then(({ body }) => body.text()).catch(message));
  }
  await direct.close();
  expect(outcomes.slice(0, 4)).toEqual(Array(4).fill('ok'));
  for (const refused of outcomes.slice(4)) expect(refused).toContain('have more than 16 KiB');
});
