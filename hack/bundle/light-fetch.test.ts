/** The classes of the bundle do what those of Node do, which the tests of the sources run with. */
import { describe, expect, test } from '@jest/globals';
import * as light from './light-fetch.ts';

const inits = [
  { 'Content-Type': 'application/json', b: ' 2 ' },
  [
    ['x-b', '1'],
    ['X-A', '2'],
    ['x-b', '3'],
  ],
  new Headers({ accept: 'text/plain' }),
] as const;

test.each(inits.map((init) => [init]))('headers of %p are those of Node', (init) => {
  const [own, nodes] = [light.Headers, Headers].map((Kind) => {
    const headers = new Kind(init as never);
    headers.set('Set', 'a');
    headers.append('SET', 'b');
    headers.delete('X-A');
    const seen: string[] = [];
    headers.forEach((value, name) => void seen.push(`${name}=${value}`));
    return [
      [...headers],
      [...headers.entries()],
      seen,
      headers.get('set'),
      headers.get('none'),
      headers.has('SET'),
      Object.prototype.toString.call(headers),
    ];
  });
  expect(own).toEqual(nodes);
});

describe('a response', () => {
  test.each([
    { body: '{"a":1}', status: 201 },
    { body: null, status: 404 },
  ])('is that of Node: $status', async ({ body, status }) => {
    const [own, nodes] = await Promise.all(
      [light.Response, Response].map(async (Kind) => {
        const response = new Kind(body, { status, headers: { 'content-type': 'application/json' } });
        const text = await response.text();
        const again = await response.text().catch((error: unknown) => error instanceof TypeError);
        return [response.status, response.ok, response.headers.get('Content-Type'), text, again];
      }),
    );
    // Without a body, Node's can be read again.
    expect(own?.slice(0, body === null ? 4 : 5)).toEqual(nodes?.slice(0, body === null ? 4 : 5));
    expect(Object.prototype.toString.call(new light.Response(body))).toBe('[object Response]');
  });

  test('has the JSON of its body', async () => {
    expect(await new light.Response('{"a":1}').json()).toEqual({ a: 1 });
    await expect(new light.Response('{').json()).rejects.toThrow(SyntaxError);
  });
});

test('no body is form data', () => {
  for (const body of ['text', {}, new URLSearchParams()]) expect(body).not.toBeInstanceOf(light.FormData);
});
