import { parse } from 'yaml';

/** The titles of the tests that hold a scenario, or the reason why there is none. */
export type Coverage = { readonly titles: readonly string[] } | { readonly reason: string };

/** Source text of test files by path. */
export type TestSources = ReadonlyMap<string, string>;

/**
 * Every scenario of the contract: 1 to 300, 7b, A1 to A7, which crossplane-runtime does not test, B1 to B177 of the SAP BTP
 * service operator, and B12.1 to B12.10, where a new operator can be better, I1 to I132 of the Kyma infrastructure manager, and
 * I10.1 to I10.10, where it can be better, N1 to N130 of its version 1.41, and R1 to R87 of the Kyma reconciler.
 */
export const contract: readonly string[] = [
  ...numbered('', 300),
  '7b',
  ...numbered('A', 7),
  ...numbered('B', 177),
  ...numbered('B12.', 10),
  ...numbered('I', 132),
  ...numbered('I10.', 10),
  ...numbered('N', 130),
  ...numbered('R', 87),
];

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}

/** `89-94: …` stands for each of them. Throws where the text is no list, or lists a key twice. */
export function readScenarios(text: string): { readonly id: string; readonly coverage: Coverage }[] {
  const entries: Record<string, unknown> = parse(text);
  return Object.entries(entries).flatMap(([key, value]) => {
    const coverage = coverageOf(key, value);
    return idsOf(key).map((id) => ({ id, coverage }));
  });
}

/** What is wrong, one line each: a scenario needs a test whose title has its number, or an entry. */
export function checkScenarios(text: string, sources: TestSources): string[] {
  const listed = readScenarios(text);
  const ids = listed.map(({ id }) => id);
  const claims = claimsIn(sources);
  const held = new Set([...ids, ...claims.map(({ id }) => id)]);
  const titles = listed.flatMap(({ id, coverage }) =>
    'titles' in coverage ? coverage.titles.map((title) => ({ id, title })) : [],
  );
  const all = [...sources.values()].join('\n');
  return [
    ...contract.filter((id) => !held.has(id)).map((id) => `scenario ${id} is missing`),
    ...[...held].filter((id) => !contract.includes(id)).map((id) => `there is no scenario ${id}`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `scenario ${id} is listed twice`),
    ...titles
      .filter(({ title }) => !isTitle(title, all))
      .map(({ id, title }) => `no test of scenario ${id} is called "${title}"`),
    ...titles
      .filter(({ id, title }) => claims.some((claim) => claim.id === id && claim.title === title))
      .map(({ id, title }) => `"${title}" has the number of scenario ${id} and is listed as well`),
  ];
}

function coverageOf(key: string, value: unknown): Coverage {
  if (typeof value === 'string') return { titles: [value] };
  if (Array.isArray(value) && value.length > 0 && value.every((title) => typeof title === 'string')) {
    return { titles: value };
  }
  if (typeof value === 'object' && value !== null && 'reason' in value) {
    const { reason } = value;
    if (typeof reason === 'string' && reason.length > 20) return { reason };
  }
  throw new Error(`scenario ${key} has neither titles of tests nor a reason`);
}

function idsOf(key: string): string[] {
  const range = /^([BINR]?)(\d+)-\1(\d+)$/.exec(key);
  if (range === null) return [key];
  const [prefix, from, to] = [range[1], Number(range[2]), Number(range[3])];
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
}

/** A title occurs in the source literally, in any quotes. */
const isTitle = (title: string, source: string) =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));

/** Tests that carry the number of a scenario: `[8] a create whose …`, also of several. */
function claimsIn(sources: TestSources): { id: string; title: string }[] {
  return [...sources.values()].flatMap((source) =>
    [...source.matchAll(/(['"`])((?:\[[BINR]?\d+b?\] )+[^\n]*?)\1/g)].flatMap(([, , title = '']) =>
      [...(/^(?:\[[BINR]?\d+b?\] )+/.exec(title)?.[0] ?? '').matchAll(/[BINR]?\d+b?/g)].map(([id]) => ({
        id,
        title,
      })),
    ),
  );
}
