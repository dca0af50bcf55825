import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../base/time/clock.ts';
import { createYamlReader } from './yaml-reader.ts';

const reader = createYamlReader({ clock: systemClock });
afterAll(() => reader.close());
const options = { group: 'cluster', signal: new AbortController().signal };

/** What the work costs the thread of the event loop, in ms of CPU time. */
async function costOf(
  work: () => Promise<unknown>,
): Promise<{ readonly ms: number; readonly result: unknown }> {
  const before = process.threadCpuUsage();
  const result = await work().catch((error: unknown) => error);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

/** A definition with 400 fields. */
const definition = (n: number) => {
  const field = (p: number) => `    field${p}: {description: "Field ${p} of kind ${n}", type: string}\n`;
  const fields = Array.from({ length: 400 }, (_, p) => field(p)).join('');
  return `apiVersion: v1\nkind: Definition\nmetadata: {name: d${n}}\nspec:\n  properties:\n${fields}`;
};

test('the definitions of a version cost the event loop a small part of their time', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => ({ source: `${n}.yaml`, text: definition(n) }));
  const { ms, result } = await costOf(() => reader.objectsOf(texts, options));
  expect(result).toHaveLength(60);
  expect(ms).toBeLessThan(300);
});

test.each([
  ['values', `- {${Array.from({ length: 20 }, (_, n) => `"k${n}": ["a", 1, true]`).join(', ')}}\n`],
  ['bytes', `- ${'x'.repeat(100_000)}\n`],
])(
  'an object with more %s than an API server takes is refused, and costs the event loop little',
  async (_what, line) => {
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nlist:\n';
    const text = head + line.repeat(Math.floor(4e6 / line.length));
    const { ms, result } = await costOf(() => reader.objectsOf([{ source: 'a.yaml', text }], options));
    expect(result).toMatchObject({
      kind: 'terminal',
      message: expect.stringMatching(/^a\.yaml: ConfigMap x has more than|^a\.yaml:\d+: /),
    });
    expect(ms).toBeLessThan(300);
  },
);

test('what cannot be parsed has its file and line', async () => {
  const texts = [{ source: 'a.yaml', text: 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\na: {' }];
  await expect(reader.objectsOf(texts, options)).rejects.toMatchObject({
    kind: 'terminal',
    message: expect.stringMatching(/^a\.yaml:[56]: /),
  });
});

test('a value of no document is null; keys are what they are', async () => {
  const read = (text: string) => reader.valueOf({ source: 'values.yaml', text }, options);
  expect(await read('# nothing\n')).toBeNull();
  expect(JSON.stringify(await read('__proto__: {a: 1}\nb: yes\n'))).toBe('{"__proto__":{"a":1},"b":true}');
});
