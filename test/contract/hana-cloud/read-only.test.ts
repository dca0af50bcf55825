import { expect, test } from '@jest/globals';
import { ReadOnlyError } from '../../../internal/framework/base/concurrency/fence.ts';
import {
  openConnections,
  readOnlyConnections,
} from '../../../internal/framework/http/transport/connections.ts';
import { type HttpRequest, sendRequest } from '../../../internal/framework/http/transport/send-request.ts';
import { callOptions, hanaCloudOfFile, instance, mapping } from './set-up.ts';

const { simulator, closers, connect } = hanaCloudOfFile({ mayViolate: true });

const routes = () => simulator.requests().map(({ route }) => route);

test.each(['fields', 'x509'] as const)(
  'a client that only reads gets a token (%s) and lists; create and delete never leave',
  async (form) => {
    const client = await connect({ readOnly: true }, form);
    simulator.store.addMapping(instance, mapping);
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({ state: 'listed' });
    const refusal = /was not sent: this process only reads$/;
    await expect(client.createMapping(instance, mapping, callOptions())).rejects.toThrow(refusal);
    await expect(client.deleteMapping(instance, mapping, callOptions())).rejects.toThrow(refusal);
    await expect(client.checkToken(callOptions())).resolves.toBeDefined();
    expect(routes()).toEqual(['token', 'list', 'token']);
    expect(simulator.store.mappings(instance)).toEqual([mapping]);
    // Not even a connection was opened in vain: the one for the list serves on.
    expect(simulator.connections().api).toBe(1);
  },
);

test('the only request beside GET that leaves is a POST to exactly the token endpoint', async () => {
  const tokenUrl = `${simulator.tokenUrl}/oauth/token`;
  const open = openConnections({
    allowPrivateEndpoints: true,
    trustedCertificates: [simulator.caCertificate],
    env: {},
    perOrigin: 2,
    connectTimeoutMs: 5000,
    keepAliveMs: 1000,
  });
  const connections = readOnlyConnections(open, tokenUrl);
  closers.push(connections.close);
  const send = async (method: HttpRequest['method'], url: string) => {
    const target = new URL(url);
    const request = { method, url: target, headers: {} };
    return sendRequest(connections.dispatcherFor(target), request, 10_000, AbortSignal.timeout(30_000));
  };
  const refused: [HttpRequest['method'], string][] = [
    ['POST', `${simulator.apiUrl}/inventory/v2/serviceInstances/${instance}/instanceMappings`],
    ['POST', `${simulator.apiUrl}/oauth/token`],
    ['POST', `${tokenUrl}/`],
    ['POST', `${tokenUrl}?x=y`],
    ['POST', `${simulator.tokenUrl}/oauth/tokens`],
    ['DELETE', tokenUrl],
    ['DELETE', `${simulator.apiUrl}/inventory/v2/serviceInstances/${instance}/instanceMappings?primaryID=a`],
  ];
  for (const [method, url] of refused) {
    expect(await send(method, url)).toMatchObject({
      noResponse: { sent: false, error: expect.any(ReadOnlyError) },
    });
  }
  expect(simulator.requests()).toEqual([]);
  expect(await send('POST', tokenUrl)).toHaveProperty('response');
});
