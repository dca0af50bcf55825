/** Shoots are those of the Go program, which README.md says how to record. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { createShootRendering } from '../../../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { PROVIDERS } from '../../../../environment/gardener/catalog.ts';
import { type Differences, differencesOf, type Goldens, goldenCases } from './golden-cases.ts';

const read = (type: string): Goldens =>
  JSON.parse(readFileSync(new URL(`${type}.results.json`, import.meta.url), 'utf8'));

const POOLS = '/spec/provider/workers';

/** What we do in another way, by title of the case. */
const deviations: Readonly<Record<string, (recorded: Differences) => Differences>> = {
  // The comparison of the Go program puts the new pool before one of the Shoot.
  'changed: a further pool before the others': ({ [POOLS]: pools, ...rest }) => {
    const [main, added, extra] = pools as unknown[];
    return { ...rest, [POOLS]: [main, extra, added] };
  },
};

/** Without the older name of the credentials of a DNS provider, which older versions of Gardener need. */
function withoutOlderName(shoot: Shoot): Shoot {
  const { spec } = shoot;
  if (spec?.dns?.providers === undefined) return shoot;
  const providers = spec.dns.providers.map(({ secretName: _, ...provider }) => provider);
  return { ...shoot, spec: { ...spec, dns: { ...spec.dns, providers } } };
}

describe.each(PROVIDERS)('%s', (type) => {
  const { base, differences } = read(type);
  const cases = goldenCases(type);
  const rendered = new Map<string, Shoot>();
  for (const { title, runtime, configuration, audit, patches } of cases) {
    const rendering = createShootRendering(configuration);
    const live = patches === undefined ? undefined : rendered.get(patches);
    const shoot = live ? rendering.patch(runtime, live, { audit }) : rendering.create(runtime, { audit });
    rendered.set(title, withoutOlderName(shoot));
  }

  test('every case is recorded', () => {
    expect(Object.keys(differences)).toEqual(cases.slice(1).map(({ title }) => title));
  });
  test.each(cases)('$title', ({ title, patches }) => {
    // The Go program sends the DNS of a Shoot again, from the configuration; ours leaves it as it is.
    const ofPatch = patches === undefined ? {} : { '/spec/dns': null };
    const recorded = { ...differences[title], ...ofPatch };
    const expected = deviations[title]?.(recorded) ?? recorded;
    expect(differencesOf(base, rendered.get(title))).toEqual(expected);
  });
});
