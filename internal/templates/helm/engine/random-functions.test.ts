import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { documentsOf, type RenderOptions, renderChart } from '../render-chart.ts';
import type { RandomStore, RandomValues, RenderRequest } from '../render-request.ts';
import { HELM_FUNCTIONS } from './functions.ts';
import { RANDOM_FUNCTIONS, RandomValuesWanted } from './random-functions.ts';

const chart = (templates: Readonly<Record<string, string>>, values = {}): RenderRequest => ({
  files: [
    { name: 'Chart.yaml', data: Buffer.from('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    ...Object.entries(templates).map(([name, text]) => ({
      name: `templates/${name}`,
      data: Buffer.from(text),
    })),
  ],
  values,
  release: { name: 'r', namespace: 'n' },
});

/** A store in memory, through the form in which it is kept. */
function memoryStore() {
  let stored: string | undefined;
  const reads: number[] = [];
  const store: RandomStore = {
    read: async () => {
      reads.push(1);
      return stored === undefined ? undefined : (JSON.parse(stored) as RandomValues);
    },
    write: async (values) => {
      stored = JSON.stringify(values);
    },
  };
  return { store, reads, text: () => stored };
}

async function render(request: RenderRequest, random?: RandomStore): Promise<string> {
  const rendering = (options: RenderOptions) => {
    const rendered = renderChart(request, options);
    return {
      text: documentsOf(rendered)
        .map(({ text }) => text)
        .join(''),
      made: rendered.made,
    };
  };
  if (random === undefined) return rendering({}).text;
  try {
    return rendering({ recorded: 'unknown' }).text;
  } catch (error) {
    if (!(error instanceof RandomValuesWanted)) throw error;
  }
  const { text, made } = rendering({ recorded: (await random.read()) ?? { salt: '', values: {} } });
  if (made !== undefined) await random.write(made);
  return text;
}

const calls = {
  bcrypt: 'bcrypt "word"',
  encryptAES: 'encryptAES "key" "text"',
  genCA: '(genCA "a" 10).Cert',
  genCAWithKey: '(genCAWithKey "a" 10 $key).Cert',
  genPrivateKey: 'genPrivateKey "ed25519"',
  genSelfSignedCert: '(genSelfSignedCert "a" nil nil 10).Key',
  genSelfSignedCertWithKey: '(genSelfSignedCertWithKey "a" nil nil 10 $key).Cert',
  genSignedCert: '(genSignedCert "a" nil nil 10 $ca).Cert',
  genSignedCertWithKey: '(genSignedCertWithKey "a" nil nil 10 $ca $key).Cert',
  htpasswd: 'htpasswd "user" "word"',
  randAlpha: 'randAlpha 20',
  randAlphaNum: 'randAlphaNum 20',
  randAscii: 'randAscii 20',
  randBytes: 'randBytes 20',
  randInt: 'add 0 (randInt 0 1000000000)',
  randNumeric: 'randNumeric 20',
  shuffle: 'shuffle "abcdefghijklmnopqrstuvwxyz"',
  uuidv4: 'uuidv4',
} as const satisfies Record<(typeof RANDOM_FUNCTIONS)[number], string>;
const DAY_MS = 86_400_000;
const SETUP = '{{ $key := genPrivateKey "ecdsa" }}{{ $ca := genCA "ca" 10 }}';
const templateOf = (expressions: readonly string[]) =>
  `${SETUP}kind: A\nvalues:\n${expressions.map((text) => `- {{ ${text} | quote }}\n`).join('')}`;

/** The texts of the list `values`. */
const valuesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('- '));

describe('what random functions made is made again by the same call', () => {
  test('of every random function, and else is another one in each rendering', async () => {
    const request = chart({ 'a.yaml': templateOf(Object.values(calls)) });
    const { store } = memoryStore();
    const first = valuesOf(await render(request, store));
    expect(valuesOf(await render(request, store))).toEqual(first);
    const others = valuesOf(await render(request));
    expect(first).toHaveLength(RANDOM_FUNCTIONS.length);
    for (const [index, name] of RANDOM_FUNCTIONS.entries())
      expect([name, others[index]]).not.toEqual([name, first[index]]);
  });

  test('the list has every function of Helm for random values, keys and certificates', () => {
    const sameAtEachCall = ['buildCustomCert', 'decryptAES', 'derivePassword'];
    const found = Object.keys(HELM_FUNCTIONS).filter((name) =>
      /^(rand|gen|uuid|shuffle|bcrypt|htpasswd)|AES$|Cert$|Password$/.test(name),
    );
    expect(found.sort()).toEqual([...RANDOM_FUNCTIONS, ...sameAtEachCall].sort());
  });

  test('a checksum of another template, and one of several equal calls', async () => {
    const secret = 'kind: Secret\na: {{ randAlphaNum 9 }}\nb: {{ randAlphaNum 9 }}\n';
    const request = chart({
      'secret.yaml': secret,
      'web.yaml': 'kind: A\nsum: {{ include "c/templates/secret.yaml" . | sha256sum }}\n',
    });
    const { store } = memoryStore();
    const first = await render(request, store);
    expect(await render(request, store)).toBe(first);
    const [, a, b] = /a: (\w+)\nb: (\w+)/.exec(first) ?? [];
    expect(a).not.toBe(b);
  });

  test('with other arguments it is new, and the others stay', async () => {
    const template = 'kind: A\nx: {{ randAlphaNum (int .Values.size) }}\ny: {{ uuidv4 }}\n';
    const { store } = memoryStore();
    const first = await render(chart({ 'a.yaml': template }, { size: 5 }), store);
    const second = await render(chart({ 'a.yaml': template }, { size: 7 }), store);
    expect(second).toMatch(/x: \w{7}\n/);
    expect(second.split('y: ')[1]).toBe(first.split('y: ')[1]);
  });

  test('nothing is read for a chart without random values', async () => {
    const { store, reads, text } = memoryStore();
    await render(chart({ 'a.yaml': 'kind: A\n' }), store);
    expect({ reads, text: text() }).toEqual({ reads: [], text: undefined });
    await render(chart({ 'a.yaml': 'kind: A\na: {{ uuidv4 }}\n' }), store);
    expect(reads).toHaveLength(1);
  });

  test('what is kept does not have the arguments, and what nobody can use is made anew', async () => {
    const request = chart({ 'a.yaml': 'kind: A\na: {{ htpasswd "user" "secret-word" }}\nb: {{ uuidv4 }}\n' });
    const { store, text } = memoryStore();
    await render(request, store);
    expect(text()).not.toContain('secret-word');
    const { salt, values } = JSON.parse(text() ?? '') as RandomValues;
    const broken = Object.fromEntries(Object.keys(values).map((key) => [key, { int: 'x' } as const]));
    await store.write({ salt, values: broken });
    expect(await render(request, store)).toMatch(/b: \w{8}-/);
  });

  test('of more calls than are kept, none is', () => {
    const request = chart({ 'a.yaml': 'kind: A\n{{ range until 2001 }}{{ $x := randAlpha 1 }}{{ end }}' });
    expect(renderChart(request, { recorded: { salt: '', values: {} } }).made).toBeUndefined();
  });
});

test('a certificate is renewed after two thirds of its time, with those that it signed', () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const template = `{{ $ca := genCA "ca" 30 }}kind: A
ca: {{ $ca.Cert | b64enc }}
signed: {{ (genSignedCert "a" nil nil 300 $ca).Cert | b64enc }}
alone: {{ (genSelfSignedCert "b" nil nil 300).Cert | b64enc }}
`;
  const request = chart({ 'a.yaml': template });
  let recorded: RandomValues = { salt: '', values: {} };
  const renderOnce = () => {
    const rendered = renderChart(request, { clock, recorded });
    recorded = rendered.made ?? recorded;
    const [, ca, signed, alone] =
      /ca: (.*)\nsigned: (.*)\nalone: (.*)/.exec(rendered.manifests[0]?.text ?? '') ?? [];
    return { ca, signed, alone };
  };
  const first = renderOnce();
  clock.jump(19 * DAY_MS);
  expect(renderOnce()).toEqual(first);
  clock.jump(2 * DAY_MS);
  const later = renderOnce();
  expect(later.alone).toBe(first.alone);
  expect(later.ca).not.toBe(first.ca);
  expect(later.signed).not.toBe(first.signed);
});
