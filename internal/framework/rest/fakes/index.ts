/** `provider-kyma/testing/rest`: tests of kinds of REST APIs, which follow from their definitions. */
import { describe, test } from 'node:test';
import type { RestProvider } from '../rest-provider.ts';
import { restCases } from './rest-cases.ts';
import type { RestSample } from './rest-sample.ts';

export { type RestCase, restCases } from './rest-cases.ts';
export type { RestSample } from './rest-sample.ts';
export {
  type RestFault,
  type RestItem,
  type RestRequestRecord,
  type RestSimulator,
  type RestVerb,
  type SimulatedKind,
  startRestSimulator,
} from './rest-simulator.ts';

/** Tests for `node --test`, by kind and scope. @param samples by kind */
export function testRestProvider(
  provider: RestProvider,
  samples: Readonly<Record<string, RestSample>>,
): void {
  const cases = Map.groupBy(restCases(provider, samples), ({ kind, scope }) => `${kind}, ${scope}`);
  for (const [title, list] of cases)
    describe(title, () => {
      for (const { name, run } of list) test(name, run);
    });
}
