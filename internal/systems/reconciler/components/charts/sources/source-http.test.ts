import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MockAgent } from 'undici';
import { createFakeClock, type FakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import { collect, createSourceHttp, type RequestOfTenant } from './source-http.ts';

const signal = new AbortController().signal;
let agent: MockAgent;
let clock: FakeClock;
beforeEach(() => {
  agent = new MockAgent();
  agent.disableNetConnect();
  clock = createFakeClock();
});
afterEach(() => agent.close());

const sender = () =>
  createSourceHttp({
    clock,
    random: () => 0.5,
    connections: { dispatcherFor: () => agent, close: async () => undefined },
    allowPrivateEndpoints: false,
  });
const send = (url: string, more: Partial<RequestOfTenant> = {}, http = sender()) =>
  http.send({ url: new URL(url), maxBytes: 100, tenant: '', ...more }, signal);
const answer = (origin: string, path: string, method = 'GET') =>
  agent.get(origin).intercept({ path, method });

test('a tenant whose requests to a host take long opens no circuit for others of that host', async () => {
  const http = sender();
  const origin = 'https://shared.example.com';
  const never = answer(origin, '/slow').reply(200, '');
  never.delay(1e9).times(10);
  const slow = async () => {
    const sent = send(`${origin}/slow`, { tenant: 'hostile' }, http).catch((error: unknown) => error);
    await clock.advance(31_000);
    return await sent;
  };
  for (let n = 0; n < 3; n++) await slow();
  await expect(send(`${origin}/slow`, { tenant: 'hostile' }, http)).rejects.toMatchObject({
    kind: 'throttled',
  });

  answer(origin, '/quick').reply(200, 'got');
  const { body } = await send(`${origin}/quick`, { tenant: 'honest' }, http);
  expect(String(await collect(body))).toBe('got');
});

describe('redirects of public hosts', () => {
  test.each([
    ['https://127.0.0.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://169.254.169.254/latest', /link-local address/],
    ['https://10.1.2.3/', /private address/],
    ['https://[fd00::1]/', /private address/],
    ['https://2130706433/', /loopback address/],
    ['https://registry.internal/', /private name/],
    ['http://charts.example.com/', /redirects to http:\/\/charts\.example\.com\/, which is not https/],
  ])('to %s are refused', async (location, message) => {
    answer('https://charts.example.com', '/a').reply(302, '', { headers: { location } });

    await expect(send('https://charts.example.com/a')).rejects.toThrow(message);
  });

  test('keep the method with 307, and become GET with 302', async () => {
    const [from, to] = ['https://a.example.com', 'https://b.example.com'];
    answer(from, '/307', 'POST').reply(307, '', { headers: { location: `${to}/post` } });
    answer(from, '/302', 'POST').reply(302, '', { headers: { location: `${to}/get` } });
    answer(to, '/post', 'POST').reply(200, 'posted');
    answer(to, '/get').reply(200, 'got');
    const post = { method: 'POST', body: Buffer.from('x') } as const;

    const bodies = await Promise.all(
      ['/307', '/302'].map(async (path) => String(await collect((await send(from + path, post)).body))),
    );

    expect(bodies).toEqual(['posted', 'got']);
  });

  test('keep credentials on the same origin alone', async () => {
    const seen: unknown[] = [];
    const reply = (location?: string) => (options: { headers?: unknown }) => {
      seen.push(Object.entries(options.headers ?? {}).find(([name]) => name === 'authorization')?.[1]);
      return {
        statusCode: location ? 301 : 200,
        data: '',
        responseOptions: { headers: location ? { location } : {} },
      };
    };
    answer('https://a.example.com', '/1').reply(reply('/2'));
    answer('https://a.example.com', '/2').reply(reply('https://b.example.com/3'));
    answer('https://b.example.com', '/3').reply(reply());

    await send('https://a.example.com/1', {
      credential: { origin: 'https://a.example.com', authorization: 'Bearer secret' },
    });

    expect(seen).toEqual(['Bearer secret', 'Bearer secret', undefined]);
  });
});

test('a request names its program: the API of GitHub, from which archives come, refuses those that name none', async () => {
  const seen: unknown[] = [];
  const reply = ({ headers = {} }: { headers?: object }) => {
    seen.push(Object.entries(headers).find(([name]) => name === 'user-agent')?.[1]);
    return { statusCode: 200, data: '' };
  };
  const origin = 'https://api.example.com';
  answer(origin, '/archive').reply(reply);
  answer(origin, '/git').reply(reply);

  await send(`${origin}/archive`);
  await send(`${origin}/git`, { headers: { 'user-agent': 'git/2' } });

  expect(seen).toEqual(['provider-kyma', 'git/2']);
});

describe('responses', () => {
  test('longer than the limit are refused while they are read', async () => {
    answer('https://a.example.com', '/').reply(200, 'x'.repeat(101));
    const { body } = await send('https://a.example.com/');

    await expect(collect(body)).rejects.toThrow('the response of a.example.com is larger than 100 bytes');
  });

  test('with Retry-After are throttled for that time', async () => {
    answer('https://a.example.com', '/').reply(429, '', { headers: { 'retry-after': '7' } });

    await expect(send('https://a.example.com/')).rejects.toMatchObject({
      kind: 'throttled',
      retryAfterMs: 7000,
    });
  });

  test('that refuse a request for its rate limit as 403, as GitHub has it, are throttled', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' };
    answer('https://a.example.com', '/').reply(403, '', { headers });
    answer('https://a.example.com', '/').reply(403, '');

    await expect(send('https://a.example.com/')).rejects.toMatchObject({
      kind: 'throttled',
      retryAfterMs: 20_000,
    });
    await expect(send('https://a.example.com/')).rejects.toMatchObject({ kind: 'auth' });
  });

  test('errors have neither the query nor the user of the URL', async () => {
    answer('https://a.example.com', '/x?token=hidden').reply(500, 'body');

    const failure = await send('https://user:hidden@a.example.com/x?token=hidden').catch(String);

    expect(failure).toBe('SourceError: https://a.example.com/x answered 500');
  });
});

test('a host that does not answer in time three times is not asked for a while', async () => {
  const http = sender();
  const attempt = async () => {
    answer('https://slow.example.com', '/').reply(200, '').delay(10_000_000);
    const sent = send('https://slow.example.com/', {}, http).catch(
      ({ kind, message }) => `${kind}: ${message}`,
    );
    await clock.advance(30_000);
    return await sent;
  };

  const results = [await attempt(), await attempt(), await attempt(), await attempt()];

  expect(results.map((text) => String(text).split(':')[0])).toEqual([
    'transient',
    'transient',
    'transient',
    'throttled',
  ]);
});
