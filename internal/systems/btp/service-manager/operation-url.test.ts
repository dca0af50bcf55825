import { expect, test } from '@jest/globals';
import { operationURL, parseOperationURL } from './operation-url.ts';

test.each([
  ['/v1/service_instances/12345/operations/op-1', 'service_instances', '12345', 'op-1'],
  ['/v1/service_bindings/b%2F1/operations/op%20x', 'service_bindings', 'b/1', 'op x'],
])('[B144] %s is parsed, and built again from its parts', (url, collection, id, operationID) => {
  const path = parseOperationURL(url);
  expect(path).toEqual({ collection, id, operationID });
  expect(path && operationURL(path)).toBe(url);
});

test.each([
  ['another collection', '/v1/platforms/p/operations/o'],
  ['no operation', '/v1/service_instances/12345'],
  ['an empty ID', '/v1/service_instances//operations/o'],
  ['more segments', '/v1/service_instances/a/b/operations/o'],
  ['a segment that leaves the path', '/v1/service_instances/../operations/o'],
  ['the same, encoded', '/v1/service_instances/%2e%2e/operations/o'],
  ['a query', '/v1/service_instances/a/operations/o?x=1'],
  ['another host', 'https://example.com/v1/service_instances/a/operations/o'],
  ['an escape that cannot be decoded', '/v1/service_instances/%zz/operations/o'],
  ['half a surrogate pair', '/v1/service_instances/\ud800/operations/o'],
  ['a very long text', `/v1/service_instances/${'a'.repeat(2000)}/operations/o`],
  ['nothing', ''],
])('%s is no operation URL', (_reason, text) => {
  expect(parseOperationURL(text)).toBeUndefined();
});
