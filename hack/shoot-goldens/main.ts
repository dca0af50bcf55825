/**
 * Records what the Kyma infrastructure manager renders, as goldens of our rendering:
 *
 *     node hack/shoot-goldens/main.ts CHECKOUT
 *
 * CHECKOUT is one of github.com/kyma-project/kyma-infrastructure-manager at commit f271b80a (1.41.0). It needs Go.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shoot } from '../../apis/gardener/kinds.ts';
import {
  differencesOf,
  type GoldenCase,
  type Goldens,
  goldenCases,
} from '../../test/contract/gardener/rendering/goldens/golden-cases.ts';
import { PROVIDERS, type ProviderType } from '../../test/environment/gardener/catalog.ts';

const FOLDER = join(import.meta.dirname, '../../test/contract/gardener/rendering/goldens');

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('usage: node hack/shoot-goldens/main.ts CHECKOUT');
for (const type of PROVIDERS) {
  const goldens = record(type, checkout);
  writeFileSync(join(FOLDER, `${type}.results.json`), textOf(goldens));
}

/** One line for each difference, so that a change of the goldens can be read. */
function textOf({ base, differences }: Goldens): string {
  const cases = Object.entries(differences).map(([title, each]) => {
    const lines = Object.entries(each).map(
      (entry) => `\n   ${entry.map((part) => JSON.stringify(part)).join(': ')}`,
    );
    return `\n  ${JSON.stringify(title)}: {${lines.join(',')}}`;
  });
  return `{\n "base": ${JSON.stringify(base)},\n "differences": {${cases.join(',')}}\n}\n`;
}

function record(type: ProviderType, checkout: string): Goldens {
  const cases = goldenCases(type);
  const output = execFileSync('go', ['run', join(import.meta.dirname, 'main.go')], {
    cwd: checkout,
    input: JSON.stringify(cases.map(inputOf)),
    maxBuffer: 2 ** 28,
  });
  const shoots: Record<string, Shoot> = JSON.parse(output.toString());
  const [first, ...others] = cases.map(({ title }) => [title, cleaned(shoots[title])] as const);
  if (first === undefined) throw new Error('no cases');
  const base = first[1];
  return {
    base,
    differences: Object.fromEntries(others.map(([title, shoot]) => [title, differencesOf(base, shoot)])),
  };
}

/** A case as the Go program reads it: its window is what its caller finds in the file. */
function inputOf({ configuration, ...rest }: GoldenCase): object {
  const { converter, cluster, maintenanceWindows } = configuration;
  const { purpose, region } = rest.runtime.spec?.shoot ?? {};
  const window = purpose === 'production' ? maintenanceWindows.get(region ?? '') : undefined;
  return { ...rest, config: plain({ converter: withTexts(converter), cluster }), window };
}

/** As the file has it: the Go program reads the number of retries from a text. */
function withTexts({ provider, ...converter }: GoldenCase['configuration']['converter']): object {
  const { worker } = provider;
  const defaultMaxEvictRetries = String(worker.defaultMaxEvictRetries);
  return { ...converter, provider: { ...provider, worker: { ...worker, defaultMaxEvictRetries } } };
}

/** Maps as objects. */
function plain(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (each instanceof Map ? Object.fromEntries(each) : each)),
  );
}

/** Without what Go writes for fields that have no value. */
function cleaned(shoot: Shoot | undefined): Shoot {
  if (shoot === undefined) throw new Error('the Go program left out a case');
  const { status: _, ...rest } = shoot;
  const { creationTimestamp: __, ...metadata } = rest.metadata;
  // The older name of `workers`, which Go writes even if it is empty, and what has no members.
  const isEmpty = (key: string, value: unknown) =>
    (key === 'worker' && value === '') || (key === 'kubelet' && JSON.stringify(value) === '{}');
  return JSON.parse(
    JSON.stringify({ ...rest, metadata }, (key, value) => (isEmpty(key, value) ? undefined : value)),
  );
}
