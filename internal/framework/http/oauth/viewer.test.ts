import { expect, test } from '@jest/globals';
import type { ApiCredentials } from './api-credentials.ts';
import { viewerOf } from './viewer.ts';

const credentials: ApiCredentials = {
  baseUrl: 'https://api.example.org',
  tokenUrl: 'https://uaa.example.org/oauth/token',
  clientId: 'sb-x',
  authentication: { method: 'client-secret', clientSecret: 'first' },
};

test('a viewer is the client, whatever its secret; the name is the same in each process and fits everywhere', () => {
  const rotated = { ...credentials, authentication: { method: 'client-secret', clientSecret: 'second' } };
  expect(viewerOf(rotated as ApiCredentials)).toBe(viewerOf(credentials));
  expect(viewerOf(credentials)).toBe('qYxa6SV01d2ZaxNEvLGZfg');
  expect(viewerOf(credentials)).toMatch(/^[\w-]{22}$/);
});

test.each([
  { clientId: 'sb-y' },
  { baseUrl: 'https://other.example.org' },
  { tokenUrl: 'https://other.example.org/oauth/token' },
])('another %j is another viewer', (over) => {
  expect(viewerOf({ ...credentials, ...over })).not.toBe(viewerOf(credentials));
});
