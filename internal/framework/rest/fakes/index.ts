/** `provider-kyma/testing/rest`: tests of kinds of REST APIs, which follow from their definitions. */
import { after, before, describe, test } from 'node:test';
import type { RestProvider } from '../rest-provider.ts';
import { controlPlaneCases, type RestProgram, startRestProgram } from './control-plane-cases.ts';
import { crdsOf, exampleCases } from './example-cases.ts';
import { type RestCase, restCases } from './rest-cases.ts';
import type { RestSamples } from './rest-sample.ts';

export { controlPlaneCases, type RestProgram, startRestProgram } from './control-plane-cases.ts';
export { exampleCases } from './example-cases.ts';
export { type RestCase, restCases } from './rest-cases.ts';
export type { RestSample, RestSamples } from './rest-sample.ts';
export {
  type RestFault,
  type RestItem,
  type RestRequestRecord,
  type RestSimulator,
  startRestSimulator,
} from './rest-simulator.ts';
export type { RestVerb, SimulatedKind } from './simulated-requests.ts';

/**
 * Tests for `node --test`, by kind and scope. With the kubeconfig of a control plane that has the CRDs, in
 * `REST_TEST_KUBECONFIG`, they are those for a real API server, else those in memory.
 *
 * @param samples by kind
 * @param project the folder whose `package/crds` the API server in memory has, and with which its `examples` are tested. Default: there are none
 */
export function testRestProvider(provider: RestProvider, samples: RestSamples, project?: string): void {
  const kubeconfig = process.env.REST_TEST_KUBECONFIG || undefined;
  const examples = project === undefined ? [] : exampleCases(project, kubeconfig);
  if (kubeconfig === undefined) {
    const crds = project === undefined ? [] : crdsOf(project);
    register([...restCases(provider, samples, crds), ...examples]);
    return;
  }
  let program: RestProgram | undefined;
  const started = () => {
    if (program === undefined) throw new Error('the program has not started');
    return program;
  };
  const cases = [...controlPlaneCases(provider, samples, started), ...examples];
  if (!isListed) {
    before(async () => {
      program = await startRestProgram(provider, samples, kubeconfig);
    });
    after(() => program?.stop());
  }
  register(cases);
}

/** `provider-kyma-kit test --only` asks for the names alone: JSON on stdout. */
const isListed = process.env.REST_TEST_LIST === 'true';

function register(all: readonly RestCase[]): void {
  if (isListed) {
    process.stdout.write(JSON.stringify(all.map(({ kind, scope, name }) => `${kind}, ${scope} ${name}`)));
    return;
  }
  for (const [title, list] of Map.groupBy(all, ({ kind, scope }) => `${kind}, ${scope}`))
    describe(title, () => {
      for (const { name, run } of list) test(name, run);
    });
}
